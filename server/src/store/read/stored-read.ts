// What is read of everything that is stored of some columns over some time, and what comes of it (stored.queries.ts). Reads of the same rows become
// one read of all their columns. Pure. Guards: merged are only reads that differ in nothing but the columns, so that each finds in the
// merged one what it would have read by itself.
import type { Column } from '../../probes/types.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import type { Tier } from '../layout/tiers.ts';

/** Milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export interface Range {
  readonly connection_ids: readonly number[];
  readonly from: number;
  readonly to: number;
}

export interface RolledColumnRead {
  readonly column: Column;
  /** The parts of the column beside its mean or increase. */
  readonly parts: readonly string[];
}

export interface RolledRead {
  readonly tier: Tier;
  /** Days of it may be packed. */
  readonly isPacked: boolean;
  readonly columns: readonly RolledColumnRead[];
  /** All entities together and no single one. */
  readonly together: boolean;
  readonly ranges: readonly Range[];
  /** Ids (0: all together) of the entities that are read of spans in rows; undefined: all that there are. */
  readonly only?: readonly number[] | undefined;
  /** Whole days of which nobody asks when in them a counter of an object grew: their sums are read where there are any. */
  readonly summed?: readonly Range[] | undefined;
}

export interface ClassRead {
  readonly tier: Tier;
  /** That which holds the largest members of a span, where they are wanted. */
  readonly members: string | undefined;
  readonly ranges: readonly Range[];
}

/** '': the server as a whole. */
export interface DatabaseOf {
  readonly connection_id: number;
  readonly database_name: string;
}

export const keyOfDatabase = ({ connection_id, database_name }: DatabaseOf): string =>
  `${connection_id} ${database_name}`;

export interface StoredRead {
  readonly layout: TableLayout;
  /** Value columns of samples or ticks. */
  readonly columns: readonly Column[];
  readonly database_name: string | undefined;
  /** Of samples and ticks; none: only rollups are read. */
  readonly ranges: readonly Range[];
  readonly rolled: RolledRead | undefined;
  /** Of a probe that is rolled up by class of wait: its spans. */
  readonly byClass?: readonly ClassRead[];
  /** Nothing is packed that could be in the ranges. */
  readonly isRaw?: boolean;
  /** Increases say themselves since when they are: of raw ticks keyframes are left out, which hold every object there is. */
  readonly isOfIncreases?: boolean;
  /** Of which databases; undefined: of all that the ranges have. */
  readonly databases?: readonly DatabaseOf[] | undefined;
  /** Which objects there were is asked, not what of them changed. */
  readonly isOfWholes?: boolean;
  /** Of packed ticks only these objects are unpacked; undefined: all. */
  readonly wanted?: ReadonlySet<number> | undefined;
}

/** What the datastore says of a row, not taken apart yet (stored.ts); alone: of a raw tick. */
export type TickTexts = DatabaseOf & { [text: `t${number}`]: string | null };

export type StoredRow = TickTexts & {
  /** Which of the reads it answers, from 0; -1: none, it is one of `More`. */
  read_no: number;
  part: 'raw' | 'hour' | 'span' | 'day' | 'class' | 'more';
};

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
export function rolledColumns(all: readonly RolledColumnRead[]): RolledColumnRead[] {
  const parts = new Map<Column, Set<string>>();
  for (const { column, parts: own } of all)
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
      columns: rolledColumns(rolled.flatMap(({ columns }) => columns)),
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
