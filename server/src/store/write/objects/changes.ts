// What became of the counters of one object between two readings of it. Pure. Guards: no increase is negative, and none holds
// more than what happened: after a reset the counters hold all that happened since it.
// An object that was made since the reading before has its counters as its increase, where that is known: the reading before was
// complete, of the same life of the server, and did not have the object; of objects that the server throws away and counts anew
// (statements), nothing was thrown away or reset since, or the object itself says that it counts since then. Everything else starts
// at its first reading.
import { isResetTime, type TableLayout } from '../../layout/table-layout.ts';
import { type ReadRow, type Value, valueIn } from '../../layout/types.ts';
import type { ColumnReader } from './column-buffer.ts';
import { timeCode } from './time-code.ts';

export const isNumeric = (value: Value): value is number | string =>
  typeof value === 'number' || typeof value === 'string';

export function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function minus(a: number | string, b: number | string): number | string {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const exact = BigInt(a) - BigInt(b);
  const plain = Number(exact);
  return Number.isSafeInteger(plain) ? plain : String(exact);
}

type Column = TableLayout['values'][number];

/** Whether a value that is another one than before says that counters were set back. */
function isReset(column: Column, old: Value, value: Value): boolean {
  if (isResetTime(column)) return value !== null;
  if (column.kind !== 'counter') return false;
  return isNumeric(old) && isNumeric(value) && compare(value, old) < 0;
}

/** What is another value than before: the column, and what a counter was. Of the rest it is enough to know that. */
export interface Difference {
  readonly index: number;
  readonly old: Value;
}

export interface Change {
  /** Increases of counters, values of the rest. */
  readonly values: readonly Value[];
  readonly changed: boolean;
  /** The increases do not add up to the new values from the old ones. */
  readonly rebased: boolean;
}

/** What became of an object between two readings. After a reset the counters hold all that happened since it. */
export function change(
  { values: columns, births }: TableLayout,
  now: readonly Value[],
  differences: readonly Difference[],
): Change {
  const reset = differences.some(({ index, old }) => {
    const column = columns[index];
    return column !== undefined && isReset(column, old, now[index] ?? null);
  });
  const values = now.map((value, index) => {
    if (columns[index]?.kind !== 'counter') return value;
    if (!isNumeric(value) || (reset && compare(value, 0) < 0)) return null;
    return reset ? value : 0;
  });
  let changed = reset;
  let rebased = reset;
  for (const { index, old } of differences) {
    const value = now[index] ?? null;
    if (columns[index]?.kind !== 'counter') changed = true;
    else if (!isNumeric(value)) changed = rebased = true;
    else if (reset) continue;
    else if (isNumeric(old)) {
      values[index] = minus(value, old);
      changed = true;
    } else {
      changed = rebased = true;
      values[index] = births.startsFromNull && compare(value, 0) >= 0 ? value : null;
    }
  }
  return { values, changed, rebased };
}

/**
 * Of an object that may have taken over the counters of another one: each is compared with the larger of what the two had, so that
 * what one of them had counted before never counts again.
 */
export function inherited(
  { values: columns }: TableLayout,
  now: readonly Value[],
  before: readonly (readonly Value[])[],
): Value[] {
  return now.map((value, index) => {
    if (columns[index]?.kind !== 'counter') return value;
    if (!isNumeric(value) || compare(value, 0) < 0) return null;
    const bases = before.flatMap((own) => {
      const base = own[index] ?? null;
      return isNumeric(base) && compare(base, value) <= 0 ? [base] : [];
    });
    const base = bases.reduce((most, one) => (compare(one, most) > 0 ? one : most), 0);
    return minus(value, base);
  });
}

/** What is known of the reading before. */
export interface Listed {
  /** It had every object there was. */
  readonly isWhole: boolean;
  readonly continuity: string | undefined;
  /** When the youngest object in it began to count, as far as they say so: see `youngestOf`. */
  youngest(): number;
}

/** Since when an object counts. */
export const SINCE = 'stats_since';

const momentOf = (value: unknown): number => (typeof value === 'string' ? timeCode(value) : Number.NaN);

/** The latest of these moments, as a number to compare with. */
export function youngestOf(moments: Iterable<unknown>): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const moment of moments) {
    const number = momentOf(moment);
    if (number > newest) newest = number;
  }
  return newest;
}

export function* momentsOf(
  layout: TableLayout,
  readers: readonly ColumnReader[],
  count: number,
): Generator<Value> {
  const reader = readers[layout.values.findIndex(({ name }) => name === SINCE)];
  for (let index = 0; reader && index < count; index += 1) yield reader.at(index);
}

/** Tells of each row that the reading before did not have whether its object was made since. */
export function birthsAfter(
  layout: TableLayout,
  listed: Listed,
  continuity: string | undefined,
): (row: ReadRow) => boolean {
  const { areEvicted, unknown } = layout.births;
  if (!listed.isWhole || unknown) return () => false;
  if (!areEvicted || (continuity !== undefined && continuity === listed.continuity)) return () => true;
  let newest: number | undefined;
  return (row) => {
    newest ??= listed.youngest();
    return momentOf(valueIn(row, SINCE)) > newest;
  };
}

/** The same of the first reading of a database that was made a moment ago. */
export function birthsWithDatabase(layout: TableLayout): (row: ReadRow) => boolean {
  const { withDatabase, unknown, sharedBelow } = layout.births;
  const [key] = layout.keys;
  if (!withDatabase || unknown) return () => false;
  return (row) => sharedBelow === undefined || !key || !(Number(valueIn(row, key.name)) < sharedBelow);
}

/** Values of an object that was made since the reading before, with counters as increases. */
export const sinceBirth = (layout: TableLayout, values: readonly Value[]): Value[] =>
  values.map((value, index) => {
    if (layout.values[index]?.kind !== 'counter') return value;
    return isNumeric(value) && compare(value, 0) >= 0 ? value : null;
  });
