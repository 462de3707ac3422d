// Objects that came within a window, from the dictionary.
import { type Sql, sql } from '../../kernel/sql.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

export interface ObjectsMade {
  connection_ids: readonly number[];
  probes: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  /** Schemas whose objects are left out. */
  without: readonly string[];
  /** Of each probe. */
  limit: number;
  /** Objects told of one event. */
  most: number;
}

/**
 * What was there when a database was first looked at was not made. Statements come with their text, of which other roles
 * have the same.
 */
export const objectsMade = (of: ObjectsMade): Sql => sql`
  /* store.objects_made */
  with seen as materialized (
    select o.connection_id, o.kind, o.database_name, o.object_id, o.key, o.labels, o.first_seen
    from metrics.objects o
    where o.connection_id = any (${of.connection_ids}::integer[])
      and o.kind = any (${of.probes}::text[])
      and o.first_seen >= ${timeOf(of.from)}
      and o.first_seen < ${timeOf(of.to)} + interval '1 millisecond'
      and coalesce(o.labels ->> 'schemaname', '') <> all (${of.without}::text[])
  ), numbered as (
    select
      s.*,
      date_trunc('milliseconds', s.first_seen) as at,
      row_number() over (
        partition by s.kind, s.connection_id, date_trunc('milliseconds', s.first_seen)
        order by s.database_name, s.object_id
      ) as position
    from (select distinct s.connection_id, s.kind, s.database_name from seen s) f
    cross join lateral (
      select min(o.first_seen) as at
      from metrics.objects o
      where o.connection_id = f.connection_id and o.kind = f.kind and o.database_name = f.database_name
    ) first
    join seen s
      on s.connection_id = f.connection_id
      and s.kind = f.kind
      and s.database_name = f.database_name
      and s.first_seen > first.at
  ), event as (
    select
      n.kind, n.connection_id, n.at, count(*)::integer as change_count,
      jsonb_agg(
        jsonb_build_object('database_name', n.database_name, 'object', n.key || n.labels, 'query_text', q.query_text)
        order by n.position
      ) filter (where n.position <= ${of.most}) as objects
    from numbered n
    left join lateral (
      select t.query_text
      from metrics.queries t
      where n.position <= ${of.most}
        and t.connection_id = n.connection_id
        and t.database_name = n.database_name
        and t.queryid = (n.key ->> 'queryid')::bigint
      limit 1
    ) q on true
    group by n.kind, n.connection_id, n.at
  ), ranked as (
    select
      e.*,
      (count(*) over (partition by e.kind))::integer as total_count,
      row_number() over (partition by e.kind order by e.at desc, e.connection_id::text collate "C") as rank
    from event e
  )
  select r.kind as probe, r.connection_id, r.at, r.change_count, r.objects, r.total_count
  from ranked r
  where r.rank <= ${of.limit}
  order by r.at desc, r.connection_id::text collate "C"`;

/** Of each of these statements one text. */
export const queryTexts = (
  wanted: readonly { connection_id: number; database_name: string; queryid: string }[],
): Sql => sql`
  /* store.query_texts */
  select distinct on (w.connection_id, w.database_name, w.queryid)
    w.connection_id, w.database_name, w.queryid::text as queryid, t.query_text
  from unnest(
    ${wanted.map((one) => one.connection_id)}::integer[],
    ${wanted.map((one) => one.database_name)}::text[],
    ${wanted.map((one) => one.queryid)}::bigint[]
  ) as w (connection_id, database_name, queryid)
  join metrics.queries t
    on t.connection_id = w.connection_id
    and t.database_name = w.database_name
    and t.queryid = w.queryid
  order by w.connection_id, w.database_name, w.queryid, t.userid, t.toplevel`;
