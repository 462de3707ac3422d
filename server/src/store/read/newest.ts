// The newest rows of a probe for many connections, under its own columns, whatever way it is kept. One statement; for
// families of objects three, and two more where few of many are shown, of which none joins samples with anything else. Guards: rows say when they were collected;
// what is gone from the newest reading, or whose database was dropped, is not there.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { append } from '../../kernel/lists.ts';
import { nextTurn } from '../../kernel/scheduler.ts';
import type { Column, Probe } from '../../probes/types.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import type { Row } from '../layout/types.ts';
import * as queries from './newest.queries.ts';
import {
  addChoosing,
  addNames,
  byDatabase,
  type Folded,
  foldedOne,
  inPieces,
  keyOf,
  type NewestRow,
  rangesOf,
  shown,
} from './newest-fold.ts';
import { type Bounds, columnsOfBound, ticksSinceKeyframe } from './newest-ticks.queries.ts';
import { keyOfDatabase, type Range, type TickTexts } from './stored-read.ts';

export interface NewestQuery {
  probe: Probe;
  /** Declared columns; all of them when absent. */
  columns?: readonly string[];
  connection_ids: readonly number[];
  database_name?: string;
  /** By one of the columns; nulls last. Otherwise by connection and database. */
  order?: { column: string; descending?: boolean };
  limit?: number;
  /** Rows of that order that are left out before the first one. */
  offset?: number;
  /** Rows that count, by what is in these columns. */
  keep?: Keep;
  /** Objects that are wanted, by these columns if all of them are values; others are not named. `at` is in milliseconds. */
  wanted?: RowFilter | undefined;
  /** Of objects, databases of which nothing is wanted are left out where they are stored, if all these columns are levels. */
  bounds?: Bounds | undefined;
  /** Of samples and snapshots, rows that are left out where they are stored. */
  meeting?: queries.Meeting | undefined;
}

export interface RowFilter {
  columns: readonly string[];
  test(connection_id: number, cell: (name: string) => unknown, at: number): boolean;
}

export interface Keep {
  columns: readonly string[];
  test(row: Row): boolean;
}

export interface Newest {
  connection_id: number;
  database_name: string;
  collected_at: string | null;
  /** Of facts: since when they are so. */
  since: string | null;
  /** The columns asked for; counters cumulative. */
  row: Row;
}

export interface NewestPage {
  rows: Newest[];
  /** Before `limit`. */
  total: number;
}

const pageOf = <T>({ limit, offset = 0 }: NewestQuery, all: readonly T[]): T[] =>
  all.slice(offset, limit === undefined ? undefined : offset + limit);

type Flat = Omit<Newest, 'row'> & Row;

function columnsOf({ probe, columns, order, keep }: NewestQuery): Column[] {
  const known = new Map(probe.columns.map((column) => [column.name, column]));
  const named = [...(order ? [order.column] : []), ...(keep?.columns ?? [])];
  const unknown = [...(columns ?? []), ...named].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Fault('bad_request', `The probe ${probe.name} has no column of one of these names.`);
  const wanted = new Set([...(columns ?? known.keys()), ...named]);
  return probe.columns.filter(({ name }) => wanted.has(name));
}

async function plainRows(db: Db, query: NewestQuery, read: queries.NewestRead): Promise<NewestPage> {
  const statement =
    query.probe.keeps === 'change-tracked' ? queries.newestFacts(read) : queries.newestSamples(read);
  const found = await db.rows<Flat>(statement);
  const all = found.map(({ connection_id, database_name, collected_at, since, ...row }) => ({
    connection_id,
    database_name,
    collected_at,
    since,
    row,
  }));
  const kept = all.filter(({ row }) => query.keep?.test(row) ?? true);
  return { rows: pageOf(query, kept), total: kept.length };
}

/** Whether the object at a place is wanted; nobody can say it of columns that are not all here. */
function wantedOf(
  columns: readonly Column[],
  wanted?: RowFilter,
): (objects: Folded, place: number) => boolean {
  const byName = new Map(columns.map((column, index) => [column.name, { column, index }]));
  if (wanted === undefined || !wanted.columns.every((name) => byName.has(name))) return () => true;
  let cells: Folded['cells'] = [];
  let here = 0;
  // There are few of them, and it is asked of every object of a thousand servers.
  const cell = (name: string) => {
    const known = byName.get(name);
    if (!known) return null;
    const said = cells[known.index]?.[here] ?? null;
    return shown(known.column, said);
  };
  return (objects, place) => {
    cells = objects.cells;
    here = place;
    return wanted.test(objects.connection_id, cell, objects.at);
  };
}

async function foldAll(
  ticks: readonly TickTexts[],
  columns: readonly Column[],
  wanted?: RowFilter,
): Promise<NewestRow[]> {
  const isWanted = wantedOf(columns, wanted);
  const found: NewestRow[] = [];
  for (const own of byDatabase(ticks)) {
    await nextTurn();
    const objects = foldedOne(own, columns);
    if (!objects) continue;
    const { connection_id, database_name, at, ids, cells } = objects;
    for (const [place, object_id] of ids.entries()) {
      if (!isWanted(objects, place)) continue;
      const row = Object.fromEntries(
        columns.map((column, index) => [column.name, shown(column, cells[index]?.[place] ?? null)]),
      );
      found.push({ connection_id, database_name, object_id, at, row });
    }
  }
  return found;
}

/** Undefined where ticks do not tell it: counters stand there as what they grew by. */
function boundsOf(bounds: Bounds, { values }: TableLayout): Bounds | undefined {
  const levels = new Set(values.filter(({ kind }) => kind === 'gauge').map(({ name }) => name));
  const areLevels = bounds.any.flatMap(columnsOfBound).every((name) => levels.has(name));
  return areLevels && bounds.any.length > 0 ? bounds : undefined;
}

function compared(a: unknown, b: unknown): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : Infinity;
  if (b === null || b === undefined) return -Infinity;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return Number(a) - Number(b);
}

/** Pieces in order are nearly in order together, and of each no more counts than is shown. */
async function ordered(query: NewestQuery, all: readonly NewestRow[]) {
  const { order, keep } = query;
  const sign = order?.descending ? -1 : 1;
  const byColumn = (a: NewestRow, b: NewestRow) => {
    if (!order) return 0;
    const found = compared(a.row[order.column], b.row[order.column]);
    return Number.isFinite(found) ? sign * found : found;
  };
  const byAll = (a: NewestRow, b: NewestRow) =>
    byColumn(a, b) ||
    a.connection_id - b.connection_id ||
    (a.database_name < b.database_name ? -1 : Number(a.database_name > b.database_name)) ||
    a.object_id - b.object_id;
  const most = query.limit === undefined ? undefined : (query.offset ?? 0) + query.limit;
  const found: NewestRow[] = [];
  let total = 0;
  for (const piece of inPieces(all)) {
    const kept = keep ? piece.filter(({ row }) => keep.test(row)) : piece;
    total += kept.length;
    append(found, kept.toSorted(byAll).slice(0, most));
    await nextTurn();
  }
  return { page: pageOf(query, found.sort(byAll)), total };
}

interface ObjectsRead {
  layout: TableLayout;
  read: queries.NewestRead;
}

/** All columns of these few, which were chosen by some of them. */
async function addValues(
  db: Db,
  page: NewestRow[],
  of: { layout: TableLayout; ranges: readonly Range[]; values: readonly Column[] },
) {
  const { layout, ranges, values: columns } = of;
  const only = { ids: page.map(({ object_id }) => object_id), databases: page };
  const own = new Set(page.map(({ connection_id }) => connection_id));
  const near = ranges.map(({ connection_ids, ...range }) => ({
    ...range,
    connection_ids: connection_ids.filter((id) => own.has(id)),
  }));
  const ticks = await db.rows<TickTexts>(ticksSinceKeyframe(layout, { columns, ranges: near, only }));
  const found = new Map((await foldAll(ticks, columns)).map((one) => [keyOf(one), one]));
  for (const one of page) one.row = { ...found.get(keyOf(one))?.row, ...one.row };
}

/** Of so many rows only those that are shown are read with all columns. */
const MANY = 1000;

/** Of many only some are shown: these are chosen by the columns that it takes, and no other is read of the rest. */
async function objects(db: Db, query: NewestQuery, { layout, read }: ObjectsRead): Promise<NewestPage> {
  const runs = await db.rows<queries.NewestRun>(queries.newestRunsOf(read));
  if (runs.length === 0) return { rows: [], total: 0 };
  const { keep, order, limit } = query;
  const values = read.columns.filter((column) => layout.values.includes(column));
  const names = read.columns.filter((column) => !layout.values.includes(column));
  const choosing = new Set([...(order ? [order.column] : []), ...(keep?.columns ?? [])]);
  const count = runs.reduce((sum, { row_count }) => sum + (row_count ?? 0), 0);
  const isChosen = limit !== undefined && !query.wanted && count > MANY;
  const first = isChosen ? values.filter(({ name }) => choosing.has(name)) : values;
  const ranges = rangesOf(runs, layout);
  const bounds = query.bounds && boundsOf(query.bounds, layout);
  const ticks = await db.rows<TickTexts>(ticksSinceKeyframe(layout, { columns: first, ranges, bounds }));
  const there = new Set(runs.map(keyOfDatabase));
  const known = ticks.filter((tick) => there.has(keyOfDatabase(tick)));
  const all = await foldAll(known, first, query.wanted);
  const of = { kind: read.probe, connection_ids: query.connection_ids };
  const chosenBy = names.filter(({ name }) => choosing.has(name));
  const isByName = keep !== undefined || chosenBy.length > 0;
  const areMany = all.length > MANY;
  if (isByName && areMany) await addChoosing(db, of, { found: all, names: chosenBy });
  else if (isByName) await addNames(db, of, { found: all, names, isAll: true });
  const { page, total } = await ordered(query, all);
  if (page.length > 0 && first.length < values.length) await addValues(db, page, { layout, ranges, values });
  if (!isByName || areMany) await addNames(db, of, { found: page, names, isAll: limit === undefined });
  const rows = page.map(({ connection_id, database_name, at, row }) => ({
    connection_id,
    database_name,
    collected_at: new Date(at).toISOString(),
    since: null,
    row,
  }));
  return { rows, total };
}

export const newest = async (db: Db, query: NewestQuery): Promise<Newest[]> =>
  (await newestPage(db, query)).rows;

/** The same with how many there are before the limit. */
export async function newestPage(db: Db, query: NewestQuery): Promise<NewestPage> {
  const { probe, connection_ids, database_name, order } = query;
  const read: queries.NewestRead = {
    probe: probe.name,
    columns: columnsOf(query),
    connection_ids,
    database_name,
    order: order && { column: order.column, descending: order.descending ?? false },
    meeting: query.meeting,
  };
  const layout = layoutOf(probe);
  return layout?.keeps === 'objects' ? objects(db, query, { layout, read }) : plainRows(db, query, read);
}
