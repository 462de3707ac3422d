// Active sessions by bucket and class of wait, from ticks of changed combinations. Guards: a sample stands for the time
// since the one before it, so that samples further apart while nothing goes on weigh as much as that time; what lies
// beyond is a hole.
import { type Sql, sql } from '../kernel/sql.ts';

export interface ActiveWindow {
  /** Where the ticks are, for a `from` clause. */
  rows: Sql;
  connection_id: number;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  buckets: number;
  /** How long a sample stands for at most: after one with active sessions, and after one without. */
  busy_seconds: number;
  calm_seconds: number;
}

export interface ActiveRow {
  n: number;
  covered_seconds: number;
  /** '' in every bucket that was sampled. */
  wait_class: string;
  sessions: number;
}

const time = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const seconds = (of: number) => sql`make_interval(secs => ${of}::double precision)`;

/**
 * Changes of each class at each tick, from the newest whole keyframe before the window on. The dictionary is one value:
 * a join would be planned from guesses about it, and be slow where they are wrong.
 */
const moves = ({ rows, connection_id, from, to, calm_seconds }: ActiveWindow): Sql => sql`
  dictionary as materialized (
    select jsonb_object_agg(o.object_id, coalesce(o.key ->> 'wait_event_type', 'CPU')) as classes
    from metrics.objects o
    where o.connection_id = ${connection_id}
      and o.kind = 'pg_active_sessions'
      and o.key ->> 'state' = 'active'
  ), tick as materialized (
    select
      t.collected_at as at, t.keyframe, t.object_ids, t.gone_ids, t.sessions,
      count(*) filter (where t.whole) over (order by t.collected_at, t.keyframe) as segment
    from ${rows} t
    where t.connection_id = ${connection_id}
      and t.database_name = ''
      and t.collected_at > ${time(from)} - interval '1 hour' - ${seconds(2 * calm_seconds)}
      and t.collected_at <= ${time(to)} + ${seconds(calm_seconds)}
  ), event as (
    select t.segment, t.at, t.keyframe, u.object_id, u.sessions
    from tick t
    cross join lateral unnest(t.object_ids, t.sessions) as u (object_id, sessions)
    where t.segment > 0
    union all
    select t.segment, t.at, t.keyframe, g.object_id, 0
    from tick t
    cross join lateral unnest(t.gone_ids) as g (object_id)
    where t.segment > 0
  ), move as (
    select
      e.segment, e.at,
      (select d.classes from dictionary d) ->> e.object_id::text as wait_class,
      e.sessions - coalesce(lag(e.sessions) over w, 0) as more
    from event e
    window w as (partition by e.segment, e.object_id order by e.at, e.keyframe)
  ), moved as materialized (
    select m.segment, m.at, m.wait_class, sum(m.more) as more
    from move m
    where m.wait_class is not null
    group by 1, 2, 3
  )`;

/** {at, wait_class, sessions} for every tick and class; '' is a class of none, so that calm ticks are there too. */
const readings = sql`
  class as (
    select distinct m.wait_class
    from moved m
    union all
    select ''
  ), step as (
    select m.segment, m.at, m.wait_class, m.more
    from moved m
    union all
    select distinct t.segment, t.at, c.wait_class, 0
    from tick t
    cross join class c
    where t.segment > 0
  ), running as (
    select
      s.segment, s.at, s.wait_class,
      sum(sum(s.more)) over (partition by s.segment, s.wait_class order by s.at) as sessions
    from step s
    group by 1, 2, 3
  ), reading as (
    select distinct on (r.wait_class, r.at) r.wait_class, r.at, r.sessions
    from running r
    order by r.wait_class, r.at, r.segment desc
  ), sampled as (
    select r.wait_class, r.at, r.sessions, sum(r.sessions) over (partition by r.at) as total
    from reading r
  )`;

/** Rows by bucket and class; buckets that nothing covers have none. */
export function activeByClass(window: ActiveWindow): Sql {
  const { from, to, buckets, busy_seconds, calm_seconds } = window;
  const width = sql`${(to - from) / 1000 / buckets}::double precision`;
  const after = (moment: Sql) => sql`extract(epoch from ${moment} - ${time(from)})::double precision`;
  return sql`
    /* store.active_by_class */
    with ${moves(window)}, ${readings}, span as (
      select
        s.wait_class, s.sessions,
        ${after(sql`s.at`)} as at_seconds,
        ${after(sql`greatest(
          coalesce(lag(s.at) over w, s.at - ${seconds(busy_seconds)}),
          s.at - case when lag(s.total) over w = 0 then ${seconds(calm_seconds)} else ${seconds(busy_seconds)} end
        )`)} as since_seconds
      from sampled s
      window w as (partition by s.wait_class order by s.at)
    ), cell as (
      select
        s.wait_class, s.sessions, n,
        least(s.at_seconds, (n + 1) * ${width}) - greatest(s.since_seconds, n * ${width}) as overlap
      from span s
      cross join lateral generate_series(
        greatest(0, floor(s.since_seconds / ${width})::integer),
        least(${buckets - 1}, ceil(s.at_seconds / ${width})::integer - 1)
      ) as n
    )
    select
      c.n,
      c.wait_class,
      sum(c.overlap) as covered_seconds,
      (sum(c.sessions * c.overlap) / sum(c.overlap))::double precision as sessions
    from cell c
    where c.overlap > 0
    group by 1, 2
    order by 1, 2`;
}
