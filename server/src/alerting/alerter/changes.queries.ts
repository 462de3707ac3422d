// The statements by which the alerter writes alerts: each for all alerts of a round together. Guards: one open alert for each key,
// whoever evaluates; what the round changes is written with its row in the history.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertKey, AlertType, Operator, Severity, Source } from '../alerts/alerts.types.ts';
import type { PendingRow } from './state.queries.ts';

/** Holds the lease of the alerter until the end of the transaction; false when somebody else has it now. */
export async function holdLease(db: Db, { name, epoch }: { name: string; epoch: number }): Promise<boolean> {
  const row = await db.maybe(sql`/* alerts.hold_lease */
    select j.epoch from matriarch.jobs j where j.name = ${name} and j.epoch = ${epoch} for share`);
  return row !== undefined;
}

/** What happened to alerts goes into their history, with the message beside what they are; answers their keys. */
const noted = (changed: Sql, event: 'fired' | 'cleared'): Sql => sql`noted as (
      insert into matriarch.alert_events (
        alert_id, connection_id, event_type, occurred_at, severity, message, metric_value
      )
      select id, connection_id, ${event}::text, now(), severity, message, metric_value
      from ${changed}
    )
    select id, connection_id, raised_by, database_name, object_name
    from ${changed}`;

export interface FiredAlert extends AlertKey {
  alert_type: AlertType;
  rule_id?: number | null;
  probe_name?: string | null;
  metric_name?: string | null;
  metric_value: number | null;
  metric_unit?: string | null;
  operator: Operator | null;
  threshold_value: number | null;
  threshold_source: Source | null;
  severity: Severity;
  title: string;
  description: string;
  /** Who or what causes the value; absent where it is not known. */
  detail?: string | null;
  /** Of the sample that met the condition. */
  sampled_at: string;
  anomaly_score?: number;
  anomaly_details?: string;
}

export interface Inserted extends AlertKey {
  id: number;
}

/** Those that were open already are left as they are. */
export const insertFired = (db: Db, fired: readonly FiredAlert[]): Promise<Inserted[]> =>
  db.rows<Inserted>(sql`/* alerts.insert */
    with fired as (
      insert into matriarch.alerts (
        alert_type, raised_by, rule_id, connection_id, database_name, object_name, probe_name, metric_name,
        metric_value, metric_unit, operator, threshold_value, threshold_source, severity, title, description, detail,
        triggered_at, last_updated, sampled_at, anomaly_score, anomaly_details
      )
      select
        f.alert_type, f.raised_by, f.rule_id, f.connection_id, f.database_name, f.object_name, f.probe_name,
        f.metric_name, f.metric_value, f.metric_unit, f.operator, f.threshold_value, f.threshold_source, f.severity,
        f.title, f.description, f.detail, now(), now(), f.sampled_at, f.anomaly_score, f.anomaly_details
      from jsonb_to_recordset(${JSON.stringify(fired)}::jsonb) as f (
        alert_type text, raised_by text, rule_id int, connection_id int, database_name text, object_name text,
        probe_name text, metric_name text, metric_value double precision, metric_unit text, operator text,
        threshold_value double precision, threshold_source text, severity text, title text, description text,
        detail text, sampled_at timestamptz, anomaly_score double precision, anomaly_details text
      )
      on conflict (connection_id, raised_by, database_name, object_name) where status <> 'cleared' do nothing
      returning id, connection_id, raised_by, database_name, object_name, severity, metric_value,
        description as message
    ), ${noted(sql`fired`, 'fired')}`);

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
        a.id, a.connection_id, a.raised_by, a.database_name, a.object_name, a.severity, a.metric_value,
        a.description as message
    ), ${noted(sql`again`, 'fired')}`);

/** They follow from nothing any more; those that are still open, and which of them nobody has taken on. */
export const dropCauses = (
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; is_acknowledged: boolean }[]> =>
  db.rows<{ id: number; is_acknowledged: boolean }>(sql`/* alerts.drop_causes */
    update matriarch.alerts
    set cause_id = null
    where id = any (${ids}::bigint[]) and status <> 'cleared'
    returning id, status = 'acknowledged' as is_acknowledged`);

/**
 * An alert that follows from another one is not sent, so one of another server is no cause where channels that are notified of the
 * alert are not notified of it.
 */
export const markCauses = (db: Db, causes: readonly { id: number; cause_id: number }[]): Promise<number> =>
  db.run(sql`/* alerts.mark_causes */
    update matriarch.alerts a
    set cause_id = m.cause_id
    from jsonb_to_recordset(${JSON.stringify(causes)}::jsonb) as m (id bigint, cause_id bigint)
    join matriarch.alerts o on o.id = m.cause_id
    where a.id = m.id
      and (
        o.connection_id = a.connection_id
        or not exists (
          select k.channel_id from matriarch.connection_channels k where k.connection_id = a.connection_id
          except
          select k.channel_id from matriarch.connection_channels k where k.connection_id = o.connection_id
        )
      )`);

export interface UpdatedAlert {
  id: number;
  metric_value: number | null;
  operator: Operator | null;
  threshold_value: number | null;
  threshold_source: Source | null;
  severity: Severity;
  /** Null: as it was, and the detail with it. */
  title: string | null;
  description: string | null;
  detail?: string | null;
  sampled_at: string;
  /** Samples in a row that did not meet the condition. */
  well_samples: number;
}

/**
 * What open alerts are after their newest sample; answers those that are of another severity now. Another severity makes an acknowledged one active again; another value
 * drops what a model said of the old one.
 */
export const updateOpen = (
  db: Db,
  updated: readonly UpdatedAlert[],
): Promise<{ id: number; severity: Severity; severity_before: Severity }[]> =>
  db.rows(sql`/* alerts.update */
    with newer as (
      select *
      from jsonb_to_recordset(${JSON.stringify(updated)}::jsonb) as h (
        id bigint, metric_value double precision, operator text, threshold_value double precision,
        threshold_source text, severity text, title text, description text, detail text, sampled_at timestamptz,
        well_samples int
      )
    ), before as (
      select a.id, a.severity
      from matriarch.alerts a
      join newer n on n.id = a.id
      where a.status <> 'cleared'
      order by a.id
      for update of a
    ), changed as (
      update matriarch.alerts a
      set
        metric_value = n.metric_value,
        operator = n.operator,
        threshold_value = n.threshold_value,
        threshold_source = n.threshold_source,
        severity = n.severity,
        title = coalesce(n.title, a.title),
        description = coalesce(n.description, a.description),
        detail = case when n.description is null then a.detail else n.detail end,
        sampled_at = n.sampled_at,
        well_samples = n.well_samples,
        last_updated = now(),
        status = case when b.severity <> n.severity then 'active' else a.status end,
        acknowledged_at = case when b.severity = n.severity then a.acknowledged_at end,
        acknowledged_by = case when b.severity = n.severity then a.acknowledged_by end,
        ack_message = case when b.severity = n.severity then a.ack_message end,
        ai_analysis = case when a.metric_value is not distinct from n.metric_value then a.ai_analysis end,
        ai_analysis_metric_value =
          case when a.metric_value is not distinct from n.metric_value then a.ai_analysis_metric_value end
      from newer n
      join before b on b.id = n.id
      where a.id = n.id
      returning a.id, a.connection_id, a.severity, a.metric_value, b.severity as severity_before
    ), told as (
      insert into matriarch.alert_events (alert_id, connection_id, event_type, occurred_at, severity, metric_value)
      select id, connection_id, 'severity_changed', now(), severity, metric_value
      from changed
      where severity_before <> severity
    )
    select id, severity, severity_before
    from changed
    where severity_before <> severity`);

export interface ClearedAlert {
  id: number;
  /** Why, where that is not that its condition is met no more. */
  message: string | null;
}

export interface Cleared extends AlertKey {
  id: number;
}

export const clearAlerts = (db: Db, cleared: readonly ClearedAlert[]): Promise<Cleared[]> =>
  db.rows<Cleared>(sql`/* alerts.clear */
    with gone as (
      update matriarch.alerts a
      set status = 'cleared', cleared_at = now(), last_updated = now()
      from jsonb_to_recordset(${JSON.stringify(cleared)}::jsonb) as c (id bigint, message text)
      where a.id = c.id and a.status <> 'cleared'
      returning
        a.id, a.connection_id, a.raised_by, a.database_name, a.object_name, a.severity, a.metric_value, c.message
    ), ${noted(sql`gone`, 'cleared')}`);

export const savePending = (db: Db, pending: readonly PendingRow[]): Promise<number> =>
  db.run(sql`/* alerts.save_pending */
    insert into matriarch.pending_alerts (
      connection_id, raised_by, database_name, object_name, since, sampled_at
    )
    select p.connection_id, p.raised_by, p.database_name, p.object_name, p.since, p.sampled_at
    from jsonb_to_recordset(${JSON.stringify(pending)}::jsonb) as p (
      connection_id int, raised_by text, database_name text, object_name text, since timestamptz,
      sampled_at timestamptz
    )
    on conflict (connection_id, raised_by, database_name, object_name) do update
    set since = excluded.since, sampled_at = excluded.sampled_at`);

export const dropPending = (db: Db, keys: readonly AlertKey[]): Promise<number> =>
  db.run(sql`/* alerts.drop_pending */
    delete from matriarch.pending_alerts p
    using jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (
      connection_id int, raised_by text, database_name text, object_name text
    )
    where (p.connection_id, p.raised_by, p.database_name, p.object_name)
      = (k.connection_id, k.raised_by, k.database_name, k.object_name)`);

/** Cleared alerts that are older, with what happened to them; so many at once. */
export const forgetCleared = (db: Db, days: number, most: number): Promise<number> =>
  db.run(sql`/* alerts.forget */
    delete from matriarch.alerts a
    where a.id in (
      select o.id
      from matriarch.alerts o
      where o.status = 'cleared' and o.cleared_at < now() - make_interval(days => ${days})
      limit ${most}
    )`);
