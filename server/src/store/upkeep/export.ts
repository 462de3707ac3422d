// What was collected of a probe as flat rows, from raw and packed hours alike, in order of connection, database and
// time. Guards: some hours of one database are in memory at a time; a row that is in both comes once.
import type { Db } from '../../kernel/db.ts';
import { identifier, type Sql, sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Column } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { momentText, type SampleRow, type TickRow, wasRead } from '../format/rows.ts';
import { readRows } from '../format/stored-rows.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { packedName } from '../layout/tiers.ts';

export interface ExportQuery {
  layout: TableLayout;
  /** Milliseconds since the epoch; `to` is exclusive. */
  from: number;
  to: number;
  /** Undefined: all of them. */
  connection_id?: number | undefined;
}

export type FlatRow = Readonly<Record<string, unknown>>;

const TOGETHER_MS = 6 * HOUR_MS;

interface StoredDatabase {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  first: number;
  last: number;
}

function databases({ layout, from, to, connection_id }: ExportQuery, isPacked: boolean): Sql {
  const window = (reach: Sql) => sql`
    t.collected_at > ${new Date(from).toISOString()}::timestamptz - ${reach}
    and t.collected_at < ${new Date(to).toISOString()}::timestamptz
    and (${connection_id ?? null}::integer is null or t.connection_id = ${connection_id ?? null})`;
  const database = layout.byDatabase ? sql`t.database_name` : sql`''::text`;
  const packed = sql`
    union all
    select t.connection_id, t.database_name, t.collected_at
    from metrics.${identifier(packedName(layout))} t
    where ${window(sql`interval '1 hour'`)}`;
  return sql`
    /* store.export_places */
    select
      s.connection_id, s.database_name,
      (extract(epoch from min(s.collected_at)) * 1000)::bigint as first,
      (extract(epoch from max(s.collected_at)) * 1000)::bigint as last
    from (
      select t.connection_id, ${database} as database_name, t.collected_at
      from metrics.${identifier(layout.table.name)} t
      where ${window(sql`interval '1 microsecond'`)}
      ${isPacked ? packed : sql``}
    ) s
    group by 1, 2
    order by 1, 2`;
}

/** Whole numbers beyond 2^53 as text, moments as RFC 3339. */
function plain({ type }: Column, cell: Cell): unknown {
  if (typeof cell === 'bigint') return String(cell);
  if (type === 'timestamp with time zone' && typeof cell === 'number') return momentText(cell);
  if (type === 'jsonb' && typeof cell === 'string') return JSON.parse(cell);
  return cell;
}

const head = (layout: TableLayout, { connection_id, database_name }: StoredDatabase, at: number) => ({
  connection_id,
  ...(layout.byDatabase && { database_name }),
  collected_at: momentText(at),
});

const sampleRow = (layout: TableLayout, database: StoredDatabase, { at, cells }: SampleRow): FlatRow => ({
  ...head(layout, database, at),
  ...Object.fromEntries(
    layout.values.map((column, index) => [column.name, plain(column, cells[index] ?? null)]),
  ),
});

interface ObjectNames {
  object_id: number;
  key: Readonly<Record<string, unknown>>;
  labels: Readonly<Record<string, unknown>>;
}

const namesOf = (connectionId: number, ids: readonly number[]) => sql`
  /* store.export_names */
  select o.object_id, o.key, o.labels
  from metrics.objects o
  where o.connection_id = ${connectionId} and o.object_id = any (${ids}::integer[])`;

function* tickRows(
  {
    layout,
    database,
    names,
  }: { layout: TableLayout; database: StoredDatabase; names: ReadonlyMap<number, ObjectNames> },
  { at, since, keyframe, ids, columns }: TickRow,
): Generator<FlatRow> {
  for (const [index, object_id] of ids.entries()) {
    const values = layout.values.map((column, n) => {
      const cells = columns[n] ?? null;
      // No list at all: nothing grew. An empty one: nobody knows.
      const grewNot = cells === null && column.kind === 'counter' && !keyframe;
      return [column.name, grewNot ? 0 : plain(column, cells?.[index] ?? null)];
    });
    const named = names.get(object_id);
    yield {
      ...head(layout, database, at),
      since: since === null ? null : momentText(since),
      keyframe,
      ...named?.key,
      ...named?.labels,
      ...Object.fromEntries(values),
    };
  }
}

/** The columns of every row, in order. */
export function exportColumns(layout: TableLayout): string[] {
  const start = ['connection_id', ...(layout.byDatabase ? ['database_name'] : []), 'collected_at'];
  const names = (columns: readonly Column[]) => columns.map(({ name }) => name);
  if (layout.keeps === 'samples') return [...start, ...names(layout.values)];
  return [
    ...start,
    'since',
    'keyframe',
    ...names(layout.keys),
    ...names(layout.labels),
    ...names(layout.values),
  ];
}

async function* rowsOf(
  db: Db,
  { layout, from, to, isRaw }: ExportQuery & { isRaw: boolean },
  database: StoredDatabase,
): AsyncGenerator<FlatRow> {
  const { connection_id, database_name } = database;
  const end = Math.min(to, database.last + HOUR_MS + 1);
  const begin = Math.floor(Math.max(from, database.first) / HOUR_MS) * HOUR_MS;
  for (let at = begin; at < end; at += TOGETHER_MS) {
    const slice = {
      connection_id,
      database_name,
      from: Math.max(at, from),
      to: Math.min(at + TOGETHER_MS, end),
      isRaw,
    };
    const { samples, ticks } = await readRows(db, layout, slice);
    const sorted = samples.filter(wasRead).sort((a, b) => a.at - b.at || a.row_no - b.row_no);
    for (const sample of sorted) yield sampleRow(layout, database, sample);
    const ids = [...new Set(ticks.flatMap((tick) => tick.ids))];
    const rows = ids.length === 0 ? [] : await db.rows<ObjectNames>(namesOf(connection_id, ids));
    const names = new Map(rows.map((row) => [row.object_id, row]));
    const inOrder = [...ticks].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
    for (const tick of inOrder) yield* tickRows({ layout, database, names }, tick);
  }
}

/** Rows of samples, or of each object of each tick: increases since `since`, whole values in keyframes. */
export async function* exportRows(db: Db, query: ExportQuery): AsyncGenerator<FlatRow> {
  const { layout } = query;
  const { raw, packed } = await db.one<{ raw: boolean; packed: boolean }>(sql`
    /* store.export_tables */
    select
      to_regclass(${`metrics.${layout.table.name}`}::text) is not null as raw,
      to_regclass(${`metrics.${packedName(layout)}`}::text) is not null as packed`);
  if (!raw) return;
  for (const database of await db.rows<StoredDatabase>(databases(query, packed)))
    yield* rowsOf(db, { ...query, isRaw: !packed }, database);
}
