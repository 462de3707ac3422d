// What is in force of retention and intervals, by connection and probe. All of it comes from one view,
// matriarch.effective_probe_settings; a probe that it does not name is kept as it is declared.
import { prepared, type Sql, sql, timeOf } from '../../kernel/sql.ts';

export interface RetentionClass {
  probe: string;
  retention_days: number;
  connection_ids: number[];
}

/** Connections by how long they keep each probe. */
export const retentionClasses = sql`
  /* store.retention_classes */
  select e.probe_name as probe, e.retention_days, array_agg(e.connection_id order by e.connection_id) as connection_ids
  from matriarch.effective_probe_settings e
  group by 1, 2
  order by 1, 2`;

export interface Longest {
  probe: string;
  days: number;
}

/** Told to whoever decides without asking everybody: writers, and the view of what is overdue. */
export const noteLongest = (all: readonly Longest[]): Sql => sql`
  /* store.note_longest */
  with longest as (
    select l.probe, l.days
    from unnest(${all.map(({ probe }) => probe)}::text[], ${all.map(({ days }) => days)}::integer[]) as l (probe, days)
  ), tiers as (
    update matriarch.tier_tables t
    set longest_retention_days = case when t.tier = 'packed' then l.days else greatest(l.days, t.retention_days) end
    from longest l
    where l.probe = t.probe
  )
  update matriarch.metric_tables m
  set longest_retention_days = l.days
  from longest l
  where l.probe = m.probe`;

export interface KeptTable {
  table_name: string;
  /** The longest that anybody keeps it. */
  retention_days: number;
}

export const keptFor = (tables: readonly string[]): Sql => sql`
  /* store.kept_for */
  select m.table_name, greatest(m.retention_days, m.longest_retention_days) as retention_days
  from matriarch.metric_tables m
  where m.table_name = any (${tables}::text[])`;

/**
 * Notes intervals that differ from the last noted, or declared, ones. What a probe that adapts does by itself within
 * its declaration is none; what the collector does to hold its budget is.
 */
export const noteIntervals = (now?: number): Sql => sql`
  /* store.note_intervals */
  insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
  select e.connection_id, e.probe_name, ${now === undefined ? sql`now()` : timeOf(now)}, i.seconds
  from matriarch.effective_probe_settings e
  join matriarch.probe_configs p on p.probe_name = e.probe_name
  join matriarch.metric_tables m on m.probe = e.probe_name
  left join matriarch.probe_costs c on c.connection_id = e.connection_id and c.probe = e.probe_name
  cross join lateral (
    select case
      when e.interval_seconds = p.default_interval_seconds and coalesce(c.interval_seconds, 0) <= m.interval_seconds
        then p.default_interval_seconds
      else greatest(e.interval_seconds, c.interval_seconds)
    end::double precision as seconds
  ) i
  left join lateral (
    select x.interval_seconds
    from matriarch.interval_changes x
    where x.connection_id = e.connection_id and x.probe = e.probe_name
    order by x.since desc
    limit 1
  ) l on true
  where i.seconds <> coalesce(l.interval_seconds, p.default_interval_seconds)
  on conflict (connection_id, probe, since) do nothing`;

export interface IntervalChange {
  connection_id: number;
  probe: string;
  /** Milliseconds since the epoch. */
  since: number;
  interval_seconds: number;
  is_declared: boolean;
}

export const intervalChanges = prepared(sql`
  /* store.interval_changes */
  select
    x.connection_id, x.probe,
    (extract(epoch from x.since) * 1000)::bigint as since,
    x.interval_seconds,
    x.interval_seconds = p.default_interval_seconds as is_declared
  from matriarch.interval_changes x
  join matriarch.probe_configs p on p.probe_name = x.probe
  order by x.connection_id, x.probe, x.since`);

/** Those that nothing reaches back to any more; the newest of each stays, and so does what differs. */
export const forgetIntervals = sql`
  /* store.forget_intervals */
  delete from matriarch.interval_changes x
  where x.since < now() - interval '14 days'
    and exists (
      select 1
      from matriarch.interval_changes l
      where l.connection_id = x.connection_id
        and l.probe = x.probe
        and l.since > x.since
        and l.since < now() - interval '14 days'
    )`;

export const datastoreNow = sql`
  /* store.now */
  select (extract(epoch from now()) * 1000)::bigint as now`;
