// Reads of the same rows become one read of all their columns. Pure. Guards: merged are only reads that differ in nothing
// but the columns, so that each finds in the merged one what it would have read by itself.
import type { Column } from '../../probes/types.ts';
import type { RolledColumnRead, RolledRead, StoredRead } from './stored.queries.ts';

function keyOf(read: StoredRead): string {
  const { layout, database_name, databases, ranges, rolled, byClass, isRaw, isOfIncreases = false } = read;
  const own = rolled && [
    rolled.tier.name,
    rolled.isPacked,
    rolled.ranges,
    rolled.only ?? null,
    rolled.summed ?? null,
  ];
  return JSON.stringify([
    layout.probe,
    database_name ?? null,
    databases ?? null,
    ranges,
    own ?? null,
    byClass ?? null,
    isRaw,
    isOfIncreases,
  ]);
}

/** Whether the same rows and columns are read. */
export function areSame(some: readonly StoredRead[], others: readonly StoredRead[]): boolean {
  const said = (read: StoredRead) => [
    keyOf(read),
    read.columns.map(({ name }) => name),
    read.rolled?.together ?? null,
    (read.rolled?.columns ?? []).map(({ column, parts }) => [column.name, parts]),
  ];
  return JSON.stringify(some.map(said)) === JSON.stringify(others.map(said));
}

const once = (columns: readonly Column[]): Column[] => [...new Set(columns)];

/** Each column once, with all parts that any of them needs. */
function rolledColumns(all: readonly RolledRead[]): RolledColumnRead[] {
  const parts = new Map<Column, Set<string>>();
  for (const { column, parts: own } of all.flatMap(({ columns }) => columns))
    parts.set(column, new Set([...(parts.get(column) ?? []), ...own]));
  return [...parts].map(([column, own]) => ({ column, parts: [...own] }));
}

/** Objects that any of them wants; undefined: one of them wants all. */
function wantedBy(all: readonly StoredRead[]): ReadonlySet<number> | undefined {
  const wanted = new Set<number>();
  for (const read of all) {
    if (!read.wanted) return undefined;
    for (const id of read.wanted) wanted.add(id);
  }
  return wanted;
}

function together(first: StoredRead, all: readonly StoredRead[]): StoredRead {
  const rolled = all.flatMap((read) => read.rolled ?? []);
  return {
    ...first,
    wanted: wantedBy(all),
    columns: once(all.flatMap(({ columns }) => columns)),
    rolled: first.rolled && {
      ...first.rolled,
      columns: rolledColumns(rolled),
      together: rolled.every((one) => one.together),
    },
  };
}

/** `places`: for each of the reads given, which of the merged ones has its rows. */
export function merged(reads: readonly StoredRead[]): { reads: StoredRead[]; places: number[] } {
  const keys = reads.map(keyOf);
  const byKey = Map.groupBy(reads, (read) => keyOf(read));
  const order = [...byKey.keys()];
  return {
    reads: [...byKey.values()].flatMap((all) => (all[0] ? [together(all[0], all)] : [])),
    places: keys.map((key) => order.indexOf(key)),
  };
}
