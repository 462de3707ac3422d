// The newest rows of whole probes for many connections, by connection and database: what somebody needs who judges servers by all
// that is known of them. The same rows as those of newest.ts, for a fraction of the work. Guards: moments are dates, 64-bit integers
// may be text; what is gone from the newest reading, or whose database was dropped, is not there.
import type { Db } from '../../kernel/db.ts';
import type { Column, Probe } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { type NewestRun, newestRunsOf, type TickTexts, ticksSinceKeyframe } from './newest.queries.ts';
import { folded, rangesOf } from './newest-fold.ts';
import {
  factsAsText,
  type NamesText,
  namesAsText,
  type ReadingsRead,
  type RowsText,
  samplesAsText,
} from './newest-readings.queries.ts';

export interface ReadingsQuery {
  probe: Probe;
  /** Declared columns. */
  columns: readonly string[];
  connection_ids: readonly number[];
}

/** The rows of a probe in one database of a connection, or of its server. */
export interface ReadingRows {
  connection_id: number;
  database_name: string;
  /** Cells in the order of `names`. */
  rows: unknown[][];
}

export interface Readings {
  names: readonly string[];
  found: readonly ReadingRows[];
}

const MICROS = 1000;
const isMoment = ({ type }: Column) => type === 'timestamp with time zone';
/** Places of moments. */
const momentsOf = (columns: readonly Column[]) =>
  columns.flatMap((column, place) => (isMoment(column) ? [place] : []));

/** As the driver reads a moment: whole milliseconds. Seconds with a fraction are not exact in binary. */
const dateOf = (ms: unknown) =>
  typeof ms === 'number' ? new Date(Math.floor(Math.round(ms * MICROS) / MICROS)) : null;

function listOfLists(text: string): unknown[][] {
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.filter((one) => Array.isArray(one)) : [];
}

async function plainRows(db: Db, read: ReadingsRead, keeps: Probe['keeps']): Promise<Readings> {
  const moments = momentsOf(read.columns);
  const found = await db.rows<RowsText>(keeps === 'change-tracked' ? factsAsText(read) : samplesAsText(read));
  return {
    names: read.columns.map(({ name }) => name),
    found: found.map(({ connection_id, database_name, rows: text }) => {
      const rows = listOfLists(text);
      for (const cells of rows) for (const place of moments) cells[place] = dateOf(cells[place]);
      return { connection_id, database_name, rows };
    }),
  };
}

type Dictionary = ReadonlyMap<number, readonly unknown[]>;

async function dictionaries(db: Db, read: ReadingsRead): Promise<Map<number, Dictionary>> {
  if (read.columns.length === 0) return new Map();
  const found = await db.rows<NamesText>(namesAsText(read));
  return new Map(
    found.map(({ connection_id, names }) => [
      connection_id,
      new Map(listOfLists(names).map((cells) => [Number(cells[0]), cells])),
    ]),
  );
}

/** Cells of an object behind its id and names. */
function withNames(cells: readonly Cell[], names: readonly unknown[], moments: readonly number[]): unknown[] {
  const row: unknown[] = [...names, ...cells];
  for (const place of moments) {
    const micros = cells[place];
    if (typeof micros === 'number') row[names.length + place] = new Date(Math.floor(micros / MICROS));
  }
  return row;
}

async function objects(db: Db, read: ReadingsRead, layout: TableLayout): Promise<Readings> {
  const values = read.columns.filter((column) => layout.values.includes(column));
  const named = read.columns.filter((column) => !layout.values.includes(column));
  const names = ['', ...named.map(({ name }) => name), ...values.map(({ name }) => name)];
  const runs = await db.rows<NewestRun>(
    newestRunsOf({ ...read, database_name: undefined, order: undefined }),
  );
  if (runs.length === 0) return { names, found: [] };
  const ticks = await db.rows<TickTexts>(
    ticksSinceKeyframe(layout, { columns: values, ranges: rangesOf(runs, layout) }),
  );
  const there = new Set(runs.map((run) => `${run.connection_id} ${run.database_name}`));
  const known = ticks.filter((tick) => there.has(`${tick.connection_id} ${tick.database_name}`));
  const dictionary = await dictionaries(db, { ...read, columns: named });
  const moments = momentsOf(values);
  const unnamed: unknown[] = [null, ...named.map(() => null)];
  const found = folded(known, values).map(({ connection_id, database_name, state }) => {
    const own = dictionary.get(connection_id);
    const rows: unknown[][] = [];
    for (const [id, cells] of state) rows.push(withNames(cells, own?.get(id) ?? unnamed, moments));
    return { connection_id, database_name, rows };
  });
  return { names, found };
}

/** One statement, of families of objects three. */
export async function newestReadings(db: Db, query: ReadingsQuery): Promise<Readings> {
  const { probe, connection_ids } = query;
  const wanted = new Set(query.columns);
  const columns = probe.columns.filter(({ name }) => wanted.has(name));
  const read = { probe: probe.name, columns, connection_ids };
  const layout = layoutOf(probe);
  return layout?.keeps === 'objects' ? objects(db, read, layout) : plainRows(db, read, probe.keeps);
}
