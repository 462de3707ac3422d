// Alerts that cleared too early are opened again, with their row in the history.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Inserted } from './changes.queries.ts';

export interface ReopenedAlert {
  id: number;
  metric_value: number | null;
  description: string;
  sampled_at: string;
}

/** Alerts that cleared a moment ago and are the same incident still: what anybody has said of them counts no more. */
export const reopenAlerts = (db: Db, reopened: readonly ReopenedAlert[]): Promise<Inserted[]> =>
  db.rows<Inserted>(sql`/* alerts.reopen */
    with again as (
      update matriarch.alerts a
      set
        status = 'active', cleared_at = null, last_updated = now(), well_samples = 0, metric_value = r.metric_value,
        description = r.description, sampled_at = r.sampled_at, acknowledged_at = null, acknowledged_by = null,
        ack_message = null, false_positive = false, ai_analysis = null, ai_analysis_metric_value = null
      from jsonb_to_recordset(${JSON.stringify(reopened)}::jsonb) as r (
        id bigint, metric_value double precision, description text, sampled_at timestamptz
      )
      where a.id = r.id
        and a.status = 'cleared'
        and not exists (
          select
          from matriarch.alerts o
          where o.connection_id = a.connection_id
            and o.raised_by = a.raised_by
            and o.database_name = a.database_name
            and o.object_name = a.object_name
            and o.status <> 'cleared'
        )
      returning
        a.id, a.connection_id, a.raised_by, a.database_name, a.object_name, a.severity, a.metric_value, a.description
    ), told as (
      insert into matriarch.alert_events (
        alert_id, connection_id, event_type, occurred_at, severity, message, metric_value
      )
      select id, connection_id, 'fired', now(), severity, description, metric_value
      from again
    )
    select id, connection_id, raised_by, database_name, object_name
    from again`);
