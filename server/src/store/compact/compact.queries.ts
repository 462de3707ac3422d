// The statements of compaction: which hours are closed and still raw, their rows as text, and what takes their place.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Engine } from '../engine/types.ts';
import { type Shape, storedName } from '../shapes.ts';

const comma = sql`, `;
const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const table = (name: string) => sql`metrics.${identifier(name)}`;
const databaseOf = ({ byDatabase }: Shape) => (byDatabase ? sql`t.database_name` : sql`''::text`);

/** An hour of one database of a connection; milliseconds since the epoch. */
export interface Hour {
  connection_id: number;
  database_name: string;
  hour: number;
}

/** Another run of this is going on when it cannot be had. */
export const lockTable = (name: string): Sql => sql`
  /* store.compact_lock */
  select pg_advisory_xact_lock(hashtextextended(${name}, 7264903))`;

export interface OpenHour extends Hour {
  /** Without a later whole keyframe these ticks are needed to tell the newest state. */
  is_needed: boolean;
}

/** Hours before `before` that still have raw rows. */
export function openHours(
  engine: Engine,
  shape: Shape,
  { after, before }: { after: number; before: number },
): Sql {
  const needed =
    shape.layout === 'samples'
      ? sql`false`
      : sql`not exists (
          select
          from ${table(shape.table.name)} n
          where n.connection_id = h.connection_id
            and n.database_name = h.database_name
            and n.collected_at >= least(h.hour + interval '1 hour', ${timeOf(before)})
            and n.whole
        )`;
  return sql`
    /* store.open_hours */
    select
      h.connection_id, h.database_name,
      (extract(epoch from h.hour) * 1000)::bigint as hour,
      ${needed} as is_needed
    from (
      select
        t.connection_id, ${databaseOf(shape)} as database_name,
        ${engine.bucket('hour', sql`t.collected_at`)} as hour
      from ${table(shape.table.name)} t
      where t.collected_at >= ${timeOf(after)} and t.collected_at < ${timeOf(before)}
      group by 1, 2, 3
    ) h
    order by 1, 2, 3`;
}

/** Of one database of a connection: from (inclusive) and to (exclusive) in milliseconds since the epoch. */
export interface Slice {
  connection_id: number;
  database_name: string;
  from: number;
  to: number;
}

const within = (shape: Shape, { connection_id, database_name, from, to }: Slice) => sql`
  t.connection_id = ${connection_id}
  and ${databaseOf(shape)} = ${database_name}
  and t.collected_at >= ${timeOf(from)}
  and t.collected_at < ${timeOf(to)}`;

/** Raw rows with every value as text, by the names of the table's columns. */
export function rawRows(shape: Shape, slice: Slice): Sql {
  const own =
    shape.layout === 'samples'
      ? ['row_no', 'incarnation']
      : ['keyframe', 'whole', 'since', 'object_ids', 'gone_ids'];
  const names = ['collected_at', ...own, ...shape.values.map(({ name }) => storedName(name))];
  const columns = names.map((name) => sql`t.${identifier(name)}::text as ${identifier(name)}`);
  return sql`
    /* store.raw_rows */
    select ${join(columns, comma)}
    from ${table(shape.table.name)} t
    where ${within(shape, slice)}`;
}

export const deleteRaw = (shape: Shape, slice: Slice): Sql => sql`
  /* store.delete_packed_rows */
  delete from ${table(shape.table.name)} t
  where ${within(shape, slice)}`;

export interface PackedRow {
  hour: number;
  names: string[];
  columns: Buffer[];
}

export const packedHours = (name: string, { connection_id, database_name, from, to }: Slice): Sql => sql`
  /* store.packed_hours */
  select (extract(epoch from p.collected_at) * 1000)::bigint as hour, l.names, p.columns
  from ${table(name)} p
  join matriarch.packed_layouts l on l.layout_id = p.layout_id
  where p.connection_id = ${connection_id}
    and p.database_name = ${database_name}
    and p.collected_at >= ${timeOf(from)}
    and p.collected_at < ${timeOf(to)}`;

/** The layout's id; a new one is added first. */
export const addLayout = (names: readonly string[]): Sql => sql`
  /* store.add_layout */
  insert into matriarch.packed_layouts (names)
  values (${names}::text[])
  on conflict (names) do nothing`;

export const findLayout = (names: readonly string[]): Sql => sql`
  /* store.find_layout */
  select layout_id
  from matriarch.packed_layouts
  where names = ${names}::text[]`;

export const putPacked = (
  name: string,
  {
    connection_id,
    database_name,
    hour,
    layout_id,
    columns,
  }: Hour & { layout_id: number; columns: readonly Buffer[] },
): Sql => sql`
  /* store.put_packed */
  insert into ${table(name)} (connection_id, layout_id, collected_at, database_name, columns)
  values (${connection_id}, ${layout_id}, ${timeOf(hour)}, ${database_name}, ${columns}::bytea[])
  on conflict (connection_id, database_name, collected_at) do update
  set layout_id = excluded.layout_id, columns = excluded.columns`;

export const deleteRollups = (name: string, { connection_id, database_name, from, to }: Slice): Sql => sql`
  /* store.delete_rollups */
  delete from ${table(name)} r
  where r.connection_id = ${connection_id}
    and r.database_name = ${database_name}
    and r.collected_at >= ${timeOf(from)}
    and r.collected_at < ${timeOf(to)}`;

export interface TierTable {
  table_name: string;
  probe: string;
  tier: 'packed' | 'm1' | 'm15' | 'h1' | 'm15p' | 'h1p';
  retention_days: number;
  /** The longest that any connection keeps it; null before the maintenance job has looked. */
  longest_retention_days: number | null;
  /** Milliseconds since the epoch. */
  filled_until: number | null;
}

export const tierTables = sql`
  /* store.tier_tables */
  select
    table_name, probe, tier, retention_days, longest_retention_days,
    (extract(epoch from filled_until) * 1000)::bigint as filled_until
  from matriarch.tier_tables
  order by table_name`;

export const tierTablesOf = (probe: string): Sql => sql`
  /* store.tier_tables_of */
  select
    table_name, probe, tier, retention_days, longest_retention_days,
    (extract(epoch from filled_until) * 1000)::bigint as filled_until
  from matriarch.tier_tables
  where probe = ${probe}`;

export const registerTier = (
  of: Omit<TierTable, 'filled_until' | 'longest_retention_days'> & { names_objects: boolean },
): Sql => sql`
  /* store.register_tier */
  insert into matriarch.tier_tables (table_name, probe, tier, retention_days, names_objects)
  values (${of.table_name}, ${of.probe}, ${of.tier}, ${of.retention_days}, ${of.names_objects})
  on conflict (table_name) do update
  set retention_days = excluded.retention_days, names_objects = excluded.names_objects`;

/** Packed until that moment; rolled up until the end of the last whole span before it. */
export const filledUntil = (probe: string, until: number, spans: ReadonlyMap<string, number>): Sql => sql`
  /* store.filled_until */
  update matriarch.tier_tables t
  set filled_until = greatest(t.filled_until, s.until)
  from (
    select k.tier, date_bin(make_interval(secs => k.seconds), ${timeOf(until)}, 'epoch') as until
    from unnest(${[...spans.keys()]}::text[], ${[...spans.values()]}::double precision[]) as k (tier, seconds)
    union all
    select 'packed', ${timeOf(until)}
  ) s
  where t.probe = ${probe} and t.tier = s.tier`;

/** Columns of a table: {name}. */
export const tableColumns = (name: string): Sql => sql`
  /* store.tier_columns */
  select a.attname as name
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'metrics'::regnamespace and c.relname = ${name}`;
