// What readings of families of objects were like (matriarch.object_readings), and the newest reading before another one.
import { type Sql, sql } from '../../../kernel/sql.ts';
import { type TableLayout, table } from '../../layout/table-layout.ts';

export interface ReadingState {
  readonly server_instance: number | null;
  readonly is_whole: boolean;
  readonly continuity: string | null;
}

export interface StatedReading extends ReadingState {
  readonly connection_id: number;
  readonly probe: string;
  readonly database_name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Each family is there once. Of what comes late only what held before the newest state is kept. */
export const noteStates = (states: readonly StatedReading[]): Sql => sql`
  /* store.note_states */
  insert into matriarch.object_readings as r (
    connection_id, probe, database_name, collected_at, server_instance, is_whole, continuity
  )
  select i.connection_id, i.probe, i.database_name, to_timestamp(i.at / 1000), i.server_instance, i.is_whole, i.continuity
  from unnest(
    ${states.map(({ connection_id }) => connection_id)}::integer[],
    ${states.map(({ probe }) => probe)}::text[],
    ${states.map(({ database_name }) => database_name)}::text[],
    ${states.map(({ at }) => at)}::float8[],
    ${states.map(({ server_instance }) => server_instance)}::smallint[],
    ${states.map(({ is_whole }) => is_whole)}::boolean[],
    ${states.map(({ continuity }) => continuity)}::text[]
  ) as i (connection_id, probe, database_name, at, server_instance, is_whole, continuity)
  order by i.connection_id, i.probe, i.database_name
  on conflict (connection_id, probe, database_name) do update set
    before = case
      when excluded.collected_at > r.collected_at then to_jsonb(r) - 'before'
      when r.before is null or excluded.collected_at > (r.before ->> 'collected_at')::timestamptz
      then to_jsonb(excluded) - 'before'
      else r.before
    end,
    server_instance = case when excluded.collected_at > r.collected_at then excluded.server_instance else r.server_instance end,
    is_whole = case when excluded.collected_at > r.collected_at then excluded.is_whole else r.is_whole end,
    continuity = case when excluded.collected_at > r.collected_at then excluded.continuity else r.continuity end,
    collected_at = greatest(r.collected_at, excluded.collected_at)`;

export interface ReadingBefore extends ReadingState {
  /** Among those that were asked for, from 1. */
  readonly position: number;
  readonly at: number;
}

/** The newest reading before each of these, as far as it is known what that was like. */
export const readingsBefore = (
  layout: TableLayout,
  of: readonly Pick<StatedReading, 'connection_id' | 'database_name' | 'at'>[],
  lookBackMs: number,
): Sql => sql`
  /* store.readings_before */
  select
    i.position::integer as position,
    (extract(epoch from t.collected_at) * 1000)::bigint as at,
    s.server_instance, s.is_whole, s.continuity
  from unnest(
    ${of.map(({ connection_id }) => connection_id)}::integer[],
    ${of.map(({ database_name }) => database_name)}::text[],
    ${of.map(({ at }) => at)}::float8[]
  ) with ordinality as i (connection_id, database_name, at, position)
  cross join lateral (
    select max(t.collected_at) as collected_at
    from ${table(layout.table.name)} t
    where t.connection_id = i.connection_id
      and t.database_name = i.database_name
      and t.collected_at >= to_timestamp((i.at - ${lookBackMs}) / 1000)
      and t.collected_at < date_trunc('milliseconds', to_timestamp(i.at / 1000))
  ) t
  join matriarch.object_readings r
    on r.connection_id = i.connection_id and r.probe = ${layout.probe} and r.database_name = i.database_name
  cross join lateral (
    select s.server_instance, s.is_whole, s.continuity, s.collected_at
    from (
      select r.server_instance, r.is_whole, r.continuity, r.collected_at
      union all
      select b.server_instance, b.is_whole, b.continuity, b.collected_at
      from jsonb_to_record(r.before)
        as b (server_instance smallint, is_whole boolean, continuity text, collected_at timestamptz)
    ) s
    where date_trunc('milliseconds', s.collected_at) <= t.collected_at
    order by s.collected_at desc
    limit 1
  ) s
  where t.collected_at is not null`;
