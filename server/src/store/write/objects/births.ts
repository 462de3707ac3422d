// Whether an object was made since the reading before: then what its counters hold is what happened since, and counts as an
// increase. Pure. Guards: only where it is known. The reading before was complete, of the same life of the server, and did not
// have the object; of objects that the server throws away and counts anew (statements), nothing was thrown away or reset since, or the
// object itself says that it counts since then. Everything else starts at its first reading.
import type { TableLayout } from '../../layout/table-layout.ts';
import type { Row, Value } from '../../layout/types.ts';
import { compare, isNumeric } from './changes.ts';
import type { ColumnReader } from './column-buffer.ts';
import { timeCode } from './time-code.ts';

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
): (row: Row) => boolean {
  const { areEvicted, unknown } = layout.births;
  if (!listed.isWhole || unknown) return () => false;
  if (!areEvicted || (continuity !== undefined && continuity === listed.continuity)) return () => true;
  let newest: number | undefined;
  return (row) => {
    newest ??= listed.youngest();
    return momentOf(row[SINCE]) > newest;
  };
}

/** The same of the first reading of a database that was made a moment ago. */
export function birthsWithDatabase(layout: TableLayout): (row: Row) => boolean {
  const { withDatabase, unknown, sharedBelow } = layout.births;
  const [key] = layout.keys;
  if (!withDatabase || unknown) return () => false;
  return (row) => sharedBelow === undefined || !key || !(Number(row[key.name]) < sharedBelow);
}

/** Values of an object that was made since the reading before, with counters as increases. */
export const sinceBirth = (layout: TableLayout, values: readonly Value[]): Value[] =>
  values.map((value, index) => {
    if (layout.values[index]?.kind !== 'counter') return value;
    return isNumeric(value) && compare(value, 0) >= 0 ? value : null;
  });
