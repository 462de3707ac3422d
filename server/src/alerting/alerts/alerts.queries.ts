// The statements of alerts for those who read and acknowledge them.

import { levelOf, type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertRow, Severity, Status } from './alerts.types.ts';

/** Of this product's own work, not of the server on which it is recorded: `isOwn` of alerts.types.ts. */
export const ownAlert = sql`a.raised_by ~ '^(channel|part):'`;

export const alertRow = sql`
  a.id, a.alert_type, a.rule_id, a.connection_id, a.database_name, a.object_name, a.probe_name, a.metric_name,
  a.metric_value, a.metric_unit, a.threshold_value, a.operator, a.threshold_source, a.severity, a.title, a.description,
  a.correlation_id, a.cause_id, a.status, a.triggered_at, a.cleared_at, a.last_updated, a.sampled_at, a.anomaly_score,
  a.anomaly_details, c.name as server_name, a.acknowledged_at, a.acknowledged_by, a.ack_message, a.false_positive,
  a.ai_analysis, a.ai_analysis_metric_value, nullif(${ownAlert}, false) as is_own`;

/** Alerts of connections that are there and that `principal` can see. */
export const seenBy = (principal: Principal): Sql => sql`
  from matriarch.alerts a
  join matriarch.connections c on c.id = a.connection_id and c.deleted_at is null and ${visible(principal)}`;

export interface AlertFilter {
  connection_ids: readonly number[] | undefined;
  status: Status | undefined;
  exclude_cleared: boolean;
  severity: Severity | undefined;
  alert_type: string | undefined;
  rule_id: number | undefined;
  metric_name: string | undefined;
  start_time: string | undefined;
  end_time: string | undefined;
  limit: number;
  offset: number;
}

/** Of servers only alerts that are about them. */
export const ofServers = (ids: readonly number[] | null): Sql =>
  sql`(${ids}::int[] is null or (a.connection_id = any (${ids}::int[]) and not ${ownAlert}))`;

function filtered(filter: AlertFilter): Sql {
  const { connection_ids = null, status = null, severity = null, alert_type = null } = filter;
  const { start_time = null, end_time = null, rule_id = null, metric_name = null } = filter;
  return sql`
    ${ofServers(connection_ids)}
    and (${status}::text is null or a.status = ${status}::text)
    and (not ${filter.exclude_cleared}::boolean or a.status <> 'cleared')
    and (${severity}::text is null or a.severity = ${severity}::text)
    and (${alert_type}::text is null or a.alert_type = ${alert_type}::text)
    and (${rule_id}::int is null or a.rule_id = ${rule_id}::int)
    and (${metric_name}::text is null or a.metric_name = ${metric_name}::text)
    and (${start_time}::timestamptz is null or a.triggered_at >= ${start_time}::timestamptz)
    and (${end_time}::timestamptz is null or a.triggered_at <= ${end_time}::timestamptz)`;
}

export interface SeenAlert extends AlertRow {
  /** 0, 1 or 2: what the caller may do with its connection. */
  level: number;
}

export const listSeen = (db: Db, principal: Principal, filter: AlertFilter): Promise<SeenAlert[]> =>
  db.rows<SeenAlert>(sql`/* alerts.list */
    select ${alertRow}, ${levelOf(principal)} as level
    ${seenBy(principal)}
    where ${filtered(filter)}
    order by a.triggered_at desc, a.id desc
    limit ${filter.limit} offset ${filter.offset}`);

export async function countSeen(db: Db, principal: Principal, filter: AlertFilter): Promise<number> {
  const { total } = await db.one<{ total: number }>(sql`/* alerts.count */
    select count(*)::int as total
    ${seenBy(principal)}
    where ${filtered(filter)}`);
  return total;
}

export interface CountRow {
  connection_id: number;
  cluster_id: number | null;
  cluster_key: string | null;
  active: number;
  /** Of these, about this product's own work. */
  own: number;
}

/** Active alerts of each connection that has any, with where it stands. */
export const countActive = (db: Db, principal: Principal): Promise<CountRow[]> =>
  db.rows<CountRow>(sql`/* alerts.counts */
    select a.connection_id, s.cluster_id, s.cluster_key, count(*)::int as active,
      (count(*) filter (where ${ownAlert}))::int as own
    ${seenBy(principal)}
    join matriarch.connection_scopes s on s.connection_id = c.id
    where a.status = 'active'
    group by a.connection_id, s.cluster_id, s.cluster_key
    order by a.connection_id`);

export interface FoundAlert extends SeenAlert {
  raised_by: string;
}

/** The alert as `principal` may see it; undefined otherwise. */
export const findSeen = (db: Db, principal: Principal, id: number): Promise<FoundAlert | undefined> =>
  db.maybe<FoundAlert>(sql`/* alerts.find */
    select ${alertRow}, a.raised_by, ${levelOf(principal)} as level
    ${seenBy(principal)}
    where a.id = ${id}`);

export interface Acknowledgement {
  alert_id: number;
  actor: string;
  message: string;
  false_positive: boolean;
}

/** Only while it is active; with its row in the history. Answers whether it was. */
export async function acknowledge(db: Db, ack: Acknowledgement): Promise<boolean> {
  const { alert_id, actor, message, false_positive } = ack;
  const changed = await db.run(sql`/* alerts.acknowledge */
    with changed as (
      update matriarch.alerts
      set
        status = 'acknowledged',
        acknowledged_at = now(),
        acknowledged_by = ${actor},
        ack_message = nullif(${message}, ''),
        false_positive = ${false_positive}
      where id = ${alert_id} and status = 'active'
      returning id, connection_id, severity, metric_value
    )
    insert into matriarch.alert_events (
      alert_id, connection_id, event_type, occurred_at, severity, actor, message, metric_value
    )
    select id, connection_id, 'acknowledged', now(), severity, ${actor}, nullif(${message}, ''), metric_value
    from changed`);
  return changed > 0;
}

/** Only while it is acknowledged; with its row in the history. Answers whether it was. */
export async function unacknowledge(db: Db, alert_id: number, actor: string): Promise<boolean> {
  const changed = await db.run(sql`/* alerts.unacknowledge */
    with changed as (
      update matriarch.alerts
      set
        status = 'active',
        acknowledged_at = null,
        acknowledged_by = null,
        ack_message = null,
        false_positive = false
      where id = ${alert_id} and status = 'acknowledged'
      returning id, connection_id, severity, metric_value
    ), unmuted as (
      delete from matriarch.alert_mutes m using changed where m.alert_id = changed.id
    )
    insert into matriarch.alert_events (
      alert_id, connection_id, event_type, occurred_at, severity, actor, metric_value
    )
    select id, connection_id, 'unacknowledged', now(), severity, ${actor}, metric_value
    from changed`);
  return changed > 0;
}

export interface Mute {
  connection_id: number;
  raised_by: string;
  database_name: string;
  alert_id: number;
  seconds: number;
}

export const mute = (db: Db, { connection_id, raised_by, database_name, alert_id, seconds }: Mute) =>
  db.run(sql`/* alerts.mute */
    insert into matriarch.alert_mutes (connection_id, raised_by, database_name, alert_id, until_time)
    values (
      ${connection_id}, ${raised_by}, ${database_name}, ${alert_id}, now() + make_interval(secs => ${seconds})
    )
    on conflict (connection_id, raised_by, database_name) do update
    set alert_id = excluded.alert_id, until_time = excluded.until_time`);

export interface Analysis {
  alert_id: number;
  analysis: string;
  metric_value: number | null;
}

export const saveAnalysis = (db: Db, { alert_id, analysis, metric_value }: Analysis) =>
  db.run(sql`/* alerts.save_analysis */
    update matriarch.alerts
    set ai_analysis = ${analysis}, ai_analysis_metric_value = ${metric_value}::double precision
    where id = ${alert_id}`);

export interface EventRow {
  event_type: 'fired' | 'severity_changed' | 'acknowledged' | 'unacknowledged' | 'cleared';
  occurred_at: string;
  severity: Severity;
  actor: string | null;
  message: string | null;
  metric_value: number | null;
}

/** What happened to an alert, in order; bounded, since an alert may be acknowledged again and again. */
export const listEventsOf = (db: Db, alert_id: number): Promise<EventRow[]> =>
  db.rows<EventRow>(sql`/* alerts.events */
    select e.event_type, e.occurred_at, e.severity, e.actor, e.message, e.metric_value
    from matriarch.alert_events e
    where e.alert_id = ${alert_id}
    order by e.occurred_at, e.id
    limit 1000`);
