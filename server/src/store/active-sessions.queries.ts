// Active sessions by bucket and class of wait, from ticks of changed combinations. Guards: a sample stands for the time
// since the one before it, so that samples further apart while nothing goes on weigh as much as that time; what lies
// beyond is a hole.
import { type Sql, sql } from '../kernel/sql.ts';

export interface ActiveWindow {
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
  /** Null: nothing was active in the bucket. */
  wait_class: string | null;
  sessions: number;
}

const time = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const seconds = (of: number) => sql`make_interval(secs => ${of}::double precision)`;

/** Changes of each class at each tick, from the newest whole keyframe before the window on. */
const moves = ({ connection_id, from, to, calm_seconds }: ActiveWindow): Sql => sql`
  object as materialized (
    select o.object_id, coalesce(o.key ->> 'wait_event_type', 'CPU') as wait_class
    from metrics.objects o
    where o.connection_id = ${connection_id}
      and o.kind = 'pg_active_sessions'
      and o.key ->> 'state' = 'active'
  ), tick as materialized (
    select
      t.collected_at as at, t.keyframe, t.object_ids, t.gone_ids, t.sessions,
      count(*) filter (where t.whole) over (order by t.collected_at, t.keyframe) as segment
    from metrics.pg_active_sessions__ticks t
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
      e.segment, e.at, o.wait_class,
      e.sessions - coalesce(lag(e.sessions) over w, 0) as more
    from event e
    join object o on o.object_id = e.object_id
    window w as (partition by e.segment, e.object_id order by e.at, e.keyframe)
  )`;

/** {at, wait_class, sessions} for each tick and class, and {at, total} for each tick. */
const readings = sql`
  moved as (
    select m.segment, m.at, m.wait_class, sum(m.more) as more
    from move m
    group by 1, 2, 3
  ), moment as materialized (
    select t.segment, t.at
    from tick t
    where t.segment > 0
    group by 1, 2
  ), class as (
    select distinct m.segment, m.wait_class
    from moved m
  ), running as (
    select
      k.segment, k.at, c.wait_class,
      coalesce(sum(m.more) over (partition by k.segment, c.wait_class order by k.at), 0) as sessions
    from moment k
    join class c on c.segment = k.segment
    left join moved m on m.segment = k.segment and m.at = k.at and m.wait_class = c.wait_class
  ), newest as materialized (
    select k.at, max(k.segment) as segment
    from moment k
    group by 1
  ), reading as materialized (
    select r.at, r.wait_class, r.sessions
    from running r
    join newest n on n.at = r.at and n.segment = r.segment
    where r.sessions > 0
  ), sampled as (
    select n.at, coalesce(sum(r.sessions), 0) as total
    from newest n
    left join reading r on r.at = n.at
    group by 1
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
        ${after(sql`s.at`)} as at_seconds,
        s.at,
        ${after(sql`greatest(
          coalesce(lag(s.at) over w, s.at - ${seconds(busy_seconds)}),
          s.at - case when lag(s.total) over w = 0 then ${seconds(calm_seconds)} else ${seconds(busy_seconds)} end
        )`)} as since_seconds
      from sampled s
      window w as (order by s.at)
    ), cell as (
      select
        s.at, n,
        least(s.at_seconds, (n + 1) * ${width}) - greatest(s.since_seconds, n * ${width}) as overlap
      from span s
      cross join lateral generate_series(
        greatest(0, floor(s.since_seconds / ${width})::integer),
        least(${buckets - 1}, ceil(s.at_seconds / ${width})::integer - 1)
      ) as n
    ), bucket as (
      select c.n, sum(c.overlap) as covered
      from cell c
      where c.overlap > 0
      group by 1
    ), weighted as (
      select c.n, r.wait_class, sum(r.sessions * c.overlap) as session_seconds
      from cell c
      join reading r on r.at = c.at
      where c.overlap > 0
      group by 1, 2
    )
    select
      b.n, b.covered as covered_seconds, w.wait_class,
      (coalesce(w.session_seconds, 0) / b.covered)::double precision as sessions
    from bucket b
    left join weighted w on w.n = b.n
    order by b.n, w.wait_class`;
}
