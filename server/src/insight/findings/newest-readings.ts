// The newest rows of whole probes for many connections, by connection and database: what somebody needs who judges servers by all
// that is known of them. The same rows as those of the store's `newest()`, for a fraction of the work. Guards: moments are dates, 64-bit integers
// may be text; what is gone from the newest reading, or whose database was dropped, is not there. Rows are made when somebody asks for
// them: of hundreds of servers at once they would take ten times the room of their texts, and most of the time would go into moving them.
import type { Db } from '../../kernel/db.ts';
import type { Column, Probe } from '../../probes/types.ts';
import {
  byDatabase,
  type Folded,
  foldedOne,
  keyOfDatabase,
  layoutOf,
  rangesOf,
  type TableLayout,
  type TickTexts,
  ticksSinceKeyframe,
} from '../../store/read/doors/readings.ts';
import { newestRunTimes } from '../../store/read/doors/runs.ts';
import * as queries from './newest-readings.queries.ts';

export interface ReadingsQuery {
  probe: Probe;
  /** Declared columns, and `first_seen` of objects. */
  columns: readonly string[];
  connection_ids: readonly number[];
  items?: queries.ItemsQuery | undefined;
}

/** The rows of a probe in one database of a connection, or of its server. */
export interface ReadingRows {
  connection_id: number;
  database_name: string;
  /** Makes them anew each time: cells in the order of `names`. */
  rows(): unknown[][];
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

async function plainRows(db: Db, read: queries.ReadingsRead, keeps: Probe['keeps']): Promise<Readings> {
  const moments = momentsOf(read.columns);
  const found = await db.rows<queries.RowsText>(
    keeps === 'change-tracked' ? queries.factsAsText(read) : queries.samplesAsText(read),
  );
  return {
    names: read.columns.map(({ name }) => name),
    found: found.map(({ connection_id, database_name, rows: text }) => ({
      ...{ connection_id, database_name },
      rows: () => {
        const rows = listOfLists(text);
        for (const cells of rows) for (const place of moments) cells[place] = dateOf(cells[place]);
        return rows;
      },
    })),
  };
}

type Dictionary = ReadonlyMap<number, readonly unknown[]>;
const NO_NAMES: Dictionary = new Map();

/** By connection. Several databases of one connection share it, and follow one another; those before it are let go. */
async function dictionaries(
  db: Db,
  read: queries.ReadingsRead,
): Promise<(connection_id: number) => Dictionary> {
  if (read.columns.length === 0) return () => NO_NAMES;
  const found = await db.rows<queries.NamesText>(queries.namesAsText(read));
  const texts = new Map(found.map(({ connection_id, names }) => [connection_id, names]));
  let last: { connection_id: number; names: Dictionary } | undefined;
  return (connection_id) => {
    if (last?.connection_id !== connection_id) {
      const names = listOfLists(texts.get(connection_id) ?? '[]');
      last = { connection_id, names: new Map(names.map((cells) => [Number(cells[0]), cells])) };
    }
    return last.names;
  };
}

/** Cells of an object behind its id and names. */
function withNames({ cells }: Folded, place: number, { names, moments }: Behind): unknown[] {
  const row: unknown[] = [...names];
  for (const own of cells) row.push(own[place] ?? null);
  for (const column of moments) {
    const micros = cells[column]?.[place];
    if (typeof micros === 'number') row[names.length + column] = new Date(Math.floor(micros / MICROS));
  }
  return row;
}

interface Behind {
  names: readonly unknown[];
  /** Columns of moments. */
  moments: readonly number[];
}

async function objects(
  db: Db,
  read: queries.ReadingsRead,
  { layout, more }: { layout: TableLayout; more: readonly Column[] },
): Promise<Readings> {
  const values = read.columns.filter((column) => layout.values.includes(column));
  const named = [...read.columns, ...more].filter((column) => !layout.values.includes(column));
  const names = ['', ...named.map(({ name }) => name), ...values.map(({ name }) => name)];
  const runs = await newestRunTimes(db, read);
  if (runs.length === 0) return { names, found: [] };
  const ticks = await db.rows<TickTexts>(
    ticksSinceKeyframe(layout, { columns: values, ranges: rangesOf(runs, layout) }),
  );
  const there = new Set(runs.map(keyOfDatabase));
  const known = ticks.filter((tick) => there.has(keyOfDatabase(tick)));
  const dictionary = await dictionaries(db, { ...read, columns: named });
  const moments = momentsOf(values);
  const unnamed: unknown[] = [null, ...named.map(() => null)];
  const rowsOf = (ticksOfOne: readonly TickTexts[]) => () => {
    const objects = foldedOne(ticksOfOne, values);
    if (!objects) return [];
    const own = dictionary(objects.connection_id);
    return objects.ids.map((id, place) =>
      withNames(objects, place, { names: own.get(id) ?? unnamed, moments }),
    );
  };
  const found = byDatabase(known).flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { connection_id, database_name } = first;
    return [{ connection_id, database_name, rows: rowsOf(own) }];
  });
  return { names, found };
}

/** One statement, of families of objects three. */
export async function newestReadings(db: Db, query: ReadingsQuery): Promise<Readings> {
  const { probe, connection_ids, items } = query;
  const wanted = new Set(query.columns);
  const columns = probe.columns.filter(({ name }) => wanted.has(name));
  const read = { probe: probe.name, columns, connection_ids, items };
  const layout = layoutOf(probe);
  const more = wanted.has(queries.FIRST_SEEN.name) ? [queries.FIRST_SEEN] : [];
  return layout?.keeps === 'objects' ? objects(db, read, { layout, more }) : plainRows(db, read, probe.keeps);
}
