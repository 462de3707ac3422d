// What happened to alerts of some connections within a time, for the timeline. Access to the connections has been checked.
import { type Sql, sql } from '../../kernel/sql.ts';
import { ownAlert } from './alerts.queries.ts';
import type { AlertType, Operator, Severity } from './alerts.types.ts';

export type ShownAlertEvent = 'fired' | 'cleared' | 'acknowledged';

export interface AlertEventRow {
  event_id: number;
  event_type: ShownAlertEvent;
  occurred_at: string;
  /** The alert's at that time. */
  severity: Severity;
  actor: string | null;
  message: string | null;
  metric_value: number | null;
  alert_id: number;
  connection_id: number;
  alert_type: AlertType;
  title: string;
  description: string;
  metric_name: string | null;
  metric_unit: string | null;
  threshold_value: number | null;
  operator: Operator | null;
  database_name: string;
  probe_name: string | null;
  false_positive: boolean;
  triggered_at: string;
  /** About this product's own work, not about the server on which it is recorded. */
  is_own: boolean;
  /** Of all that there are, before they are cut. */
  total: number;
}

export interface AlertEventsFilter {
  connection_ids: readonly number[];
  types: readonly ShownAlertEvent[];
  /** Also those about this product's own work. */
  with_own: boolean;
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  limit: number;
}

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

/** A part of a statement: rows as `AlertEventRow`, the newest first, at most `limit` of them. */
export const alertEvents = (asked: AlertEventsFilter): Sql => sql`/* alert_events.part */
    select
      e.id as event_id, e.event_type, e.occurred_at, e.severity, e.actor, e.message, e.metric_value, e.alert_id,
      e.connection_id, a.alert_type, a.title, a.description, a.metric_name, a.metric_unit, a.threshold_value,
      a.operator, a.database_name, a.probe_name, a.false_positive, a.triggered_at,
      ${ownAlert} as is_own, count(*) over ()::int as total
    from matriarch.alert_events e
    join matriarch.alerts a on a.id = e.alert_id
    where e.connection_id = any (${asked.connection_ids}::int[])
      and e.event_type = any (${asked.types}::text[])
      and e.occurred_at >= ${timeOf(asked.from)}
      and e.occurred_at <= ${timeOf(asked.to)}
      and (${asked.with_own}::boolean or not ${ownAlert})
    order by e.occurred_at desc, e.id desc
    limit ${asked.limit}`;
