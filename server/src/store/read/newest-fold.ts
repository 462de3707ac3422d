// Objects of many connections as they stand, folded from the ticks since the newest whole keyframe of each database. Guards: what is
// gone is gone; a counter is the sum of its increases, or null from where one is unknown.

import type { Db } from '../../kernel/db.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import type { Column } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { momentText, type TickRow } from '../format/rows.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import type { NewestRun } from './newest.queries.ts';
import { namesByColumn, type ObjectName, objectNames } from './plan.queries.ts';
import { tickOf } from './stored.ts';
import { keyOfDatabase, type Range, type TickTexts } from './stored-read.ts';

/** Connections that answer, and those that have not for long, each with the time to look at. */
export function rangesOf(runs: readonly NewestRun[], layout: TableLayout): Range[] {
  const newest = runs.reduce((most, { at }) => Math.max(most, at), 0);
  const oldest = new Map<number, number>();
  for (const { connection_id, at } of runs)
    oldest.set(connection_id, Math.min(oldest.get(connection_id) ?? at, at));
  const back = HOUR_MS + 3000 * layout.intervalSeconds;
  const isFresh = (at: number) => at > newest - DAY_MS;
  return [true, false].flatMap((fresh) => {
    const own = [...oldest].filter(([, at]) => isFresh(at) === fresh);
    if (own.length === 0) return [];
    const from = own.reduce((least, [, at]) => Math.min(least, at), newest) - back;
    return [{ connection_ids: own.map(([id]) => id), from, to: newest + 1 }];
  });
}

type Counted = number | bigint;
const plus = (a: Counted, b: Counted): Counted =>
  typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)
    ? a + b
    : typeof a === 'bigint' || typeof b === 'bigint' || (Number.isInteger(a) && Number.isInteger(b))
      ? BigInt(a) + BigInt(b)
      : a + b;

const counted = (cell: Cell): Counted | null =>
  typeof cell === 'number' || typeof cell === 'bigint' ? cell : null;

/** Unknown where one of the two is. */
function grown(before: Cell, by: Cell): Counted | null {
  const [base, more] = [counted(before), counted(by)];
  return base === null || more === null ? null : plus(base, more);
}

/**
 * Objects of one database as they stand: each has a place, the same in `ids` and in all columns. By columns, and not a row for each
 * object: of a thousand servers the rows would be most of the work, and most of them are looked at once.
 */
class Objects {
  readonly #columns: readonly Column[];
  #places: Map<number, number> | undefined;
  ids: number[] = [];
  /** In the order of the columns. */
  cells: Cell[][];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.cells = columns.map(() => []);
  }

  apply({ ids, columns, keyframe, whole, gone }: TickRow): void {
    if (whole) {
      this.ids = [...ids];
      this.cells = columns.map((own) => (own ? [...own] : ids.map(() => null)));
      this.#places = undefined;
    } else this.#add(ids, columns, !keyframe);
    if (gone !== null) this.#remove(gone);
  }

  #placesById(): Map<number, number> {
    const known = this.#places ?? new Map(this.ids.map((id, place) => [id, place]));
    this.#places = known;
    return known;
  }

  #add(ids: readonly number[], cells: readonly (readonly Cell[] | null)[], isIncrease: boolean): void {
    const known = this.#placesById();
    const places = ids.map((id) => {
      const place = known.get(id) ?? this.ids.length;
      if (place === this.ids.length) {
        this.ids.push(id);
        for (const own of this.cells) own.push(null);
        known.set(id, place);
      }
      return place;
    });
    for (const [index, column] of this.#columns.entries()) {
      const own = this.cells[index];
      const said = cells[index] ?? null;
      // In a tick of increases no array means that nothing grew.
      const isCounted = isIncrease && column.kind === 'counter';
      if (!own || (isCounted && said === null)) continue;
      for (let n = 0; n < places.length; n += 1) {
        const place = places[n] ?? 0;
        own[place] = isCounted ? grown(own[place] ?? null, said?.[n] ?? null) : (said?.[n] ?? null);
      }
    }
  }

  #remove(ids: readonly number[]): void {
    const gone = new Set(ids);
    if (!this.ids.some((id) => gone.has(id))) return;
    const isLeft = (_one: unknown, place: number) => !gone.has(this.ids[place] ?? Number.NaN);
    this.cells = this.cells.map((own) => own.filter(isLeft));
    this.ids = this.ids.filter(isLeft);
    this.#places = undefined;
  }
}

/** A stored value as it is answered. */
export function shown({ type }: Column, cell: Cell): unknown {
  if (typeof cell === 'bigint') {
    const plain = Number(cell);
    return Number.isSafeInteger(plain) ? plain : String(cell);
  }
  return type === 'timestamp with time zone' && typeof cell === 'number' ? momentText(cell) : cell;
}

/** The objects of one database. */
export interface Folded {
  connection_id: number;
  database_name: string;
  /** Of the newest tick, in milliseconds since the epoch. */
  at: number;
  /** By place. */
  ids: readonly number[];
  /** By column in their order, and by place. */
  cells: readonly (readonly Cell[])[];
}

/** Of the ticks of one database, in any order. */
export function foldedOne(ticks: readonly TickTexts[], columns: readonly Column[]): Folded | undefined {
  const objects = new Objects(columns);
  const [first] = ticks;
  if (!first) return undefined;
  const { connection_id, database_name } = first;
  const rows = ticks.map((tick) => tickOf(columns, tick));
  rows.sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
  let at = 0;
  for (const tick of rows) {
    objects.apply(tick);
    ({ at } = tick);
  }
  return { connection_id, database_name, at: at / 1000, ids: objects.ids, cells: objects.cells };
}

export const byDatabase = (ticks: readonly TickTexts[]): TickTexts[][] => [
  ...Map.groupBy(ticks, keyOfDatabase).values(),
];

export interface NewestRow {
  connection_id: number;
  database_name: string;
  object_id: number;
  /** Milliseconds since the epoch. */
  at: number;
  row: Record<string, unknown>;
}

export interface NamesOf {
  kind: string;
  connection_ids: readonly number[];
}

export const keyOf = ({ connection_id, object_id }: Pick<NewestRow, 'connection_id' | 'object_id'>) =>
  `${connection_id} ${object_id}`;

/** Of so many rows others need not wait for the end. */
const PIECE = 1000;

export function* inPieces<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += PIECE) yield all.slice(at, at + PIECE);
}

/** Names of objects beside their values; `isAll`: these are all that there are. */
export async function addNames(
  db: Db,
  { kind, connection_ids }: NamesOf,
  of: { found: readonly NewestRow[]; names: readonly Column[]; isAll: boolean },
) {
  const { found, names, isAll } = of;
  if (names.length === 0 || found.length === 0) return;
  const ids = isAll ? undefined : found.map(({ object_id }) => object_id);
  const rows = await db.rows<ObjectName>(objectNames({ kind, connection_ids, ids }));
  const dictionary = new Map(rows.map((row) => [keyOf(row), row]));
  for (const one of found) {
    const name = dictionary.get(keyOf(one));
    const own = names.map((column) => [
      column.name,
      name?.key[column.name] ?? name?.labels[column.name] ?? null,
    ]);
    one.row = { ...Object.fromEntries(own), ...one.row };
  }
}

/** The names by which some of very many objects are chosen, column by column. */
export async function addChoosing(
  db: Db,
  { kind, connection_ids }: NamesOf,
  of: { found: readonly NewestRow[]; names: readonly Column[] },
) {
  const { found, names: columns } = of;
  if (columns.length === 0 || found.length === 0) return;
  const names = columns.map(({ name }) => name);
  const byServer = new Map<number, { places: Map<unknown, number>; cells: unknown[][] }>();
  for (const { connection_id, ...texts } of await db.rows<Omit<TickTexts, 'database_name'>>(
    namesByColumn({ kind, connection_ids, names }),
  )) {
    const lists: unknown[][] = [];
    for (const text of Object.values(texts)) {
      await nextTurn();
      lists.push(JSON.parse(text ?? '[]'));
    }
    const [ids = [], ...cells] = lists;
    byServer.set(connection_id, { places: new Map(ids.map((id, place) => [id, place])), cells });
  }
  for (const piece of inPieces(found)) {
    await nextTurn();
    for (const { connection_id, object_id, row } of piece) {
      const own = byServer.get(connection_id);
      const place = own?.places.get(object_id) ?? -1;
      for (const [index, name] of names.entries()) row[name] = own?.cells[index]?.[place] ?? null;
    }
  }
}
