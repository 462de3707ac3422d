// From what samples and rollups say of each bucket and database to one value a bucket. Pure. Guards: a mean is over the
// time that was measured; databases are put together only after each has its own value.
import { greatest } from '../../kernel/lists.ts';
import { type Combine, combined } from '../layout/combine.ts';
import type { Aggregate, BucketRow } from './series.queries.ts';

const lesser = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b));
const greater = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));
const total = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));

/** `b` is later. */
function join(aggregate: Aggregate, a: BucketRow, b: BucketRow): BucketRow {
  const both = { avg: total, sum: total, rate: total, min: lesser, max: greater };
  const value = aggregate === 'last' ? b.value : both[aggregate](a.value, b.value);
  return { ...b, value, covered_seconds: a.covered_seconds + b.covered_seconds };
}

const finished = (aggregate: Aggregate, { value, covered_seconds }: BucketRow) => {
  if (aggregate !== 'avg' && aggregate !== 'rate') return value;
  return value === null || covered_seconds <= 0 ? null : value / covered_seconds;
};

export interface Bucket {
  value: number | null;
  covered_seconds: number;
}

/** By bucket; rows of one connection, in order of time. */
export function bucketsOf(
  rows: readonly BucketRow[],
  { aggregate, combine, buckets }: { aggregate: Aggregate; combine: Combine; buckets: number },
): (Bucket | undefined)[] {
  const byDatabase = Array.from({ length: buckets }, () => new Map<string, BucketRow>());
  for (const row of rows) {
    const databases = byDatabase[row.n];
    const before = databases?.get(row.database_name);
    databases?.set(row.database_name, before ? join(aggregate, before, row) : row);
  }
  return byDatabase.map((databases) => {
    if (databases.size === 0) return undefined;
    const all = [...databases.values()];
    return {
      value: combined(
        combine,
        all.map((row) => finished(aggregate, row)),
      ),
      covered_seconds: greatest(all.map((row) => row.covered_seconds)),
    };
  });
}
