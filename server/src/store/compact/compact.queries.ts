// The statements of compaction: which hours are closed and still raw, their rows as text, and what takes their place.
import { type Sql, sql, timeOf } from '../../kernel/sql.ts';
import { type Slice, within } from '../format/stored-rows.queries.ts';
import type { Engine } from '../layout/engine/types.ts';
import { databaseOf, type TableLayout, table } from '../layout/table-layout.ts';

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
  layout: TableLayout,
  { after, before }: { after: number; before: number },
): Sql {
  const needed =
    layout.keeps === 'samples'
      ? sql`false`
      : sql`not exists (
          select 1
          from ${table(layout.table.name)} n
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
        t.connection_id, ${databaseOf(layout)} as database_name,
        ${engine.bucket('hour', sql`t.collected_at`)} as hour
      from ${table(layout.table.name)} t
      where t.collected_at >= ${timeOf(after)} and t.collected_at < ${timeOf(before)}
      group by 1, 2, 3
    ) h
    order by 1, 2, 3`;
}

export const deleteRaw = (layout: TableLayout, slice: Slice): Sql => sql`
  /* store.delete_packed_rows */
  delete from ${table(layout.table.name)} t
  where ${within(layout, slice)}`;

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

/** Days in which anything is packed, the oldest first. */
export const daysPacked = (
  engine: Engine,
  name: string,
  { from, until }: { from: number; until: number },
): Sql => sql`
  /* store.days_packed */
  select distinct
    p.connection_id, p.database_name,
    (extract(epoch from ${engine.bucket('day', sql`p.collected_at`)}) * 1000)::bigint as day
  from ${table(name)} p
  where p.collected_at >= ${timeOf(from)} and p.collected_at < ${timeOf(until)}
  order by 3, 1, 2`;

/** How far a probe is packed (`packed`) or rolled up, in spans of so many seconds from the epoch on. */
export interface Filled {
  probe: string;
  tier: string;
  /** Null: as far as that moment. */
  seconds: number | null;
  /** Milliseconds since the epoch. */
  until: number;
}

/** Packed until that moment; rolled up until the end of the last whole span before it. */
export const filledUntil = (all: readonly Filled[]): Sql => sql`
  /* store.filled_until */
  update matriarch.tier_tables t
  set filled_until = s.until
  from (
    select
      k.probe, k.tier,
      coalesce(date_bin(make_interval(secs => k.seconds), k.until, 'epoch'), k.until) as until
    from unnest(
      ${all.map(({ probe }) => probe)}::text[],
      ${all.map(({ tier }) => tier)}::text[],
      ${all.map(({ seconds }) => seconds)}::double precision[],
      ${all.map(({ until }) => new Date(until).toISOString())}::timestamptz[]
    ) as k (probe, tier, seconds, until)
  ) s
  where t.probe = s.probe and t.tier = s.tier and (t.filled_until is null or t.filled_until < s.until)`;
