// How often alerts about servers fired within a time, by server and by what raised them; what concerns one object of one cluster is one
// trouble, whichever of its servers and rules raised it. Access to the connections has been checked.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { ownAlert } from './alerts.queries.ts';
import type { Severity } from './alerts.types.ts';

export interface FiredRow {
  /** Where it is gravest; a standby last. */
  connection_id: number;
  /** Other servers of the cluster on which the same object had it. */
  also_on: number[];
  /** Of the newest there. */
  title: string;
  severity: Severity;
  fired: number;
  /** How many of them were critical, warnings, and else; null: none. */
  by_severity: Readonly<Record<Severity, number | null>>;
  /** How many of them have not cleared. */
  open: number;
  last_at: string;
}

export interface FiredRequest {
  connection_ids: readonly number[];
  /** RFC 3339; the end is not part of it. */
  start_time: string;
  end_time: string;
  limit: number;
}

/** Gravest first, then the most frequent; `total` is before the limit. */
export const alertsFired = (
  db: Db,
  { connection_ids, start_time, end_time, limit }: FiredRequest,
): Promise<(FiredRow & { total: number })[]> =>
  db.rows(sql`/* alerts.fired */
    with raised as (
      select
        a.connection_id,
        case
          when min(a.object_name) <> '' and min(a.object_name) = max(a.object_name)
            and min(a.database_name) = max(a.database_name) and min(a.metric_name) = max(a.metric_name)
          then jsonb_build_array(coalesce('cluster ' || min(s.cluster_id), 'server ' || a.connection_id),
            min(a.metric_name), min(a.database_name), min(a.object_name))
          else jsonb_build_array(a.connection_id, a.raised_by)
        end as trouble,
        coalesce(min(t.primary_role) like '%standby%', false) as is_standby,
        (array_agg(a.title order by e.occurred_at desc))[1] as title,
        (array_agg(a.severity order by e.occurred_at desc))[1] as severity,
        count(*)::int as fired,
        (count(distinct a.id) filter (where a.status <> 'cleared'))::int as open,
        max(e.occurred_at) as last_at
      from matriarch.alert_events e
      join matriarch.alerts a on a.id = e.alert_id
      left join matriarch.connection_scopes s on s.connection_id = a.connection_id
      left join matriarch.topology_nodes t on t.connection_id = a.connection_id
      where e.connection_id = any (${connection_ids}::int[])
        and e.event_type = 'fired'
        and e.occurred_at >= ${start_time}::timestamptz
        and e.occurred_at < ${end_time}::timestamptz
        and not a.false_positive
        and not ${ownAlert}
      group by a.connection_id, a.raised_by
    ), placed as (
      select r.*, row_number() over (partition by r.trouble order by
        case r.severity when 'critical' then 0 when 'warning' then 1 else 2 end, r.is_standby, r.fired desc, r.connection_id, r.title
      ) as place
      from raised r
    ), n as (
      select
        min(connection_id) filter (where place = 1) as connection_id,
        array_agg(distinct connection_id) as connection_ids,
        min(title) filter (where place = 1) as title,
        min(severity) filter (where place = 1) as severity,
        sum(fired)::int as fired,
        jsonb_build_object(
          'critical', sum(fired) filter (where severity = 'critical'),
          'warning', sum(fired) filter (where severity = 'warning'),
          'info', sum(fired) filter (where severity = 'info')
        ) as by_severity,
        sum(open)::int as open,
        max(last_at) as last_at
      from placed
      group by trouble
    )
    select n.connection_id, array_remove(n.connection_ids, n.connection_id) as also_on, n.title, n.severity, n.fired,
      n.by_severity, n.open, n.last_at, count(*) over ()::int as total
    from n
    order by case n.severity when 'critical' then 0 when 'warning' then 1 else 2 end, n.fired desc, n.connection_id, n.title
    limit ${limit}`);
