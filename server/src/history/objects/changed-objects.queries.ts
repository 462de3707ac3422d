// Objects that came within a window, from the dictionary.
import { type Sql, sql } from '../../kernel/sql.ts';
import { knownObjects, knownStatements, newestRuns } from '../../store/read/doors/relations.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

export interface ObjectsMade {
  connection_ids: readonly number[];
  probes: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  /** Schemas whose objects are left out. */
  without: readonly string[];
  /** A regular expression; tables of the schema metrics of that name (`schema.table`), and their indexes, are left out. */
  without_tables: string;
  /** A regular expression; statements whose text matches it are left out. */
  without_statements: string;
  /** Of each probe. */
  limit: number;
  /** Objects told of one event. */
  most: number;
}

/** Of a statement `o`, one of those that different roles have. */
const textOf = sql`(
    select t.query_text
    from ${knownStatements} t
    where t.connection_id = o.connection_id
      and t.database_name = o.database_name
      and t.queryid = (o.key ->> 'queryid')::bigint
    limit 1
  )`;

/**
 * What was there when a database was first looked at was not made. Statements come with their text, of which other roles
 * have the same. The first look of each database is found once, and only objects that are told have their names read, so
 * that the cost is that of what came.
 */
export const objectsMade = (of: ObjectsMade): Sql => sql`
  /* store.objects_made */
  with seen as materialized (
    select o.connection_id, o.kind, o.database_name, o.object_id, o.first_seen
    from ${knownObjects} o
    where o.connection_id = any (${of.connection_ids}::integer[])
      and o.kind = any (${of.probes}::text[])
      and o.first_seen >= ${timeOf(of.from)}
      and o.first_seen < ${timeOf(of.to)} + interval '1 millisecond'
      and coalesce(o.labels ->> 'schemaname', '') <> all (${of.without}::text[])
      and not (
        -- Most are told apart without the expression, which costs more than all else of a row.
        coalesce(o.labels ->> 'schemaname', '') = 'metrics'
        and concat_ws('.', o.labels ->> 'schemaname', o.labels ->> 'relname') ~ ${of.without_tables}
      )
  ), first as materialized (
    select f.connection_id, f.kind, f.database_name, l.at
    from (select distinct s.connection_id, s.kind, s.database_name from seen s) f
    cross join lateral (
      select min(o.first_seen) as at
      from ${knownObjects} o
      where o.connection_id = f.connection_id and o.kind = f.kind and o.database_name = f.database_name
    ) l
  ), made as materialized (
    select s.connection_id, s.kind, s.database_name, s.object_id, date_trunc('milliseconds', s.first_seen) as at
    from first f
    join seen s
      on s.connection_id = f.connection_id
      and s.kind = f.kind
      and s.database_name = f.database_name
      and s.first_seen > f.at
  ), ours as materialized (
    select m.connection_id, m.object_id
    from made m
    join ${knownObjects} o on o.connection_id = m.connection_id and o.object_id = m.object_id
    cross join lateral ${textOf} q
    where m.kind = 'pg_stat_statements' and q.query_text ~ ${of.without_statements}
  ), event as (
    select m.kind, m.connection_id, m.at, count(*)::integer as change_count, array_agg(m.object_id) as ids
    from made m
    where (m.connection_id, m.object_id) not in (select u.connection_id, u.object_id from ours u)
    group by m.kind, m.connection_id, m.at
  ), ranked as (
    select
      e.*,
      (count(*) over (partition by e.kind))::integer as total_count,
      row_number() over (partition by e.kind order by e.at desc, e.connection_id::text collate "C") as rank
    from event e
  )
  select r.kind as probe, r.connection_id, r.at, r.change_count, n.objects, r.total_count
  from ranked r
  cross join lateral (
    select jsonb_agg(
      jsonb_build_object('database_name', o.database_name, 'object', o.key || o.labels, 'query_text', q.query_text)
      order by o.database_name, o.object_id
    ) as objects
    from (select i.object_id from unnest(r.ids) as i (object_id) order by i.object_id limit ${of.most}::integer) i
    join ${knownObjects} o on o.connection_id = r.connection_id and o.object_id = i.object_id
    left join lateral ${textOf} q on true
  ) n
  where r.rank <= ${of.limit}
  order by r.at desc, r.connection_id::text collate "C"`;

/**
 * Databases of which something that is known of the probe is not in the newest reading, or which have none: what went has gone from these
 * alone. Where the newest reading is younger than the end of the window, something may have come back meanwhile.
 */
export const databasesWithout = (of: Pick<ObjectsMade, 'connection_ids' | 'probes' | 'to'>): Sql => sql`
  /* store.databases_without */
  select k.kind as probe, k.connection_id, k.database_name
  from (
    select o.connection_id, o.kind, o.database_name, count(*) as known
    from ${knownObjects} o
    where o.connection_id = any (${of.connection_ids}::integer[]) and o.kind = any (${of.probes}::text[])
    group by o.connection_id, o.kind, o.database_name
  ) k
  left join ${newestRuns} s
    on s.connection_id = k.connection_id and s.probe = k.kind and s.database_name = k.database_name
  where s.outcome is distinct from 'ran'
    or s.row_count is distinct from k.known
    or s.collected_at > ${timeOf(of.to)}`;

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
  join ${knownStatements} t
    on t.connection_id = w.connection_id
    and t.database_name = w.database_name
    and t.queryid = w.queryid
  order by w.connection_id, w.database_name, w.queryid, t.userid, t.toplevel`;
