// How often alerts about servers fired within a time, by server and by what raised them. Access to the connections has been checked.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { ownAlert } from './alerts.queries.ts';
import type { Severity } from './alerts.types.ts';

export interface FiredRow {
  connection_id: number;
  /** Of the newest. */
  title: string;
  severity: Severity;
  fired: number;
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
    select n.connection_id, n.title, n.severity, n.fired, n.open, n.last_at, count(*) over ()::int as total
    from (
      select
        a.connection_id,
        (array_agg(a.title order by e.occurred_at desc))[1] as title,
        (array_agg(a.severity order by e.occurred_at desc))[1] as severity,
        count(*)::int as fired,
        (count(distinct a.id) filter (where a.status <> 'cleared'))::int as open,
        max(e.occurred_at) as last_at
      from matriarch.alert_events e
      join matriarch.alerts a on a.id = e.alert_id
      where e.connection_id = any (${connection_ids}::int[])
        and e.event_type = 'fired'
        and e.occurred_at >= ${start_time}::timestamptz
        and e.occurred_at < ${end_time}::timestamptz
        and not a.false_positive
        and not ${ownAlert}
      group by a.connection_id, a.raised_by
    ) n
    order by case n.severity when 'critical' then 0 when 'warning' then 1 else 2 end, n.fired desc, n.connection_id, n.title
    limit ${limit}`);
