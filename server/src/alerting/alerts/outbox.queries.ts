// The statements of the outbox: what is to be said of alerts, with the facts of that moment, and to which channels. Times come from the
// caller's clock.

import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertFacts, NotificationKind } from '../channels/alert-facts.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';
import { ownAlert } from './alerts.queries.ts';
import type { AlertType, Operator, Severity, Status } from './alerts.types.ts';

/** How far a transition of an alert is told: which of its events count. */
export type NotifiedChange = 'fire' | 'clear' | 'acknowledge';

export interface FactsRow {
  alert_id: number;
  alert_type: AlertType;
  title: string;
  description: string;
  severity: Severity;
  status: Status;
  triggered_at: string;
  cleared_at: string | null;
  metric_name: string | null;
  metric_value: number | null;
  metric_unit: string | null;
  threshold_value: number | null;
  operator: Operator | null;
  connection_id: number;
  server_name: string;
  cluster_name: string | null;
  server_host: string;
  server_port: number;
  database_name: string | null;
  object_name: string | null;
  is_own: boolean;
  acknowledged_by: string | null;
  cleared_because: string | null;
  /** How many such transitions there have been, this one included. */
  sequence: number;
  /** The channel that it is about: others tell of it, where there are any. */
  about_channel: number | null;
}

const EVENTS: Record<NotifiedChange, readonly string[]> = {
  fire: ['fired', 'severity_changed'],
  clear: ['cleared'],
  acknowledge: ['acknowledged'],
};

/** Null for a server on its own: the name of its cluster is then that of the server. Of `withCluster`. */
export const clusterName: Sql = sql`case
        when cl.named_by_hand then cl.name
        when seen.cluster_type <> 'server' then seen.name
        when cl.auto_cluster_key is null or cl.auto_cluster_key not like 'standalone:%' then cl.name
      end`;

/** Where the connection `c` belongs. */
export const withCluster: Sql = sql`
    left join matriarch.connection_scopes s on s.connection_id = c.id
    left join matriarch.clusters cl on cl.id = s.cluster_id
    left join matriarch.topology_clusters seen
      on seen.cluster_key = coalesce(cl.auto_cluster_key, s.cluster_key) and not s.is_hidden`;

/** Of those that are told: what follows from another alert is not, and is told by that one. */
export const findFacts = (db: Db, kind: NotifiedChange, ids: readonly number[]): Promise<FactsRow[]> =>
  db.rows<FactsRow>(sql`/* alerts.facts */
    select
      a.id as alert_id, a.alert_type, a.title,
      -- How it ended, where that is known; what was wrong is said by the message before.
      coalesce(ended.message, a.description) as description,
      a.severity, a.status, a.triggered_at, a.cleared_at,
      a.metric_name, a.metric_value, a.metric_unit, a.threshold_value, a.operator, a.connection_id,
      c.name as server_name, ${clusterName} as cluster_name,
      c.host as server_host, c.port as server_port,
      nullif(a.database_name, '') as database_name, nullif(a.object_name, '') as object_name,
      ${ownAlert} as is_own, a.acknowledged_by, ended.message as cleared_because,
      (
        select count(*)::int
        from matriarch.alert_events e
        where e.alert_id = a.id and e.event_type = any (${EVENTS[kind]}::text[])
      ) as sequence,
      substring(a.raised_by from '^channel:(\\d+)$')::int as about_channel
    from matriarch.alerts a
    join matriarch.connections c on c.id = a.connection_id
    ${withCluster}
    left join lateral (
      select e.message
      from matriarch.alert_events e
      where ${kind}::text = 'clear' and e.alert_id = a.id and e.event_type = 'cleared'
      order by e.id desc
      limit 1
    ) ended on true
    where a.id = any (${ids}::bigint[])
      and (${kind}::text <> 'fire' or a.cause_id is null)
    order by a.id`);

export interface Transition {
  readonly alert_id: number;
  readonly kind: NotificationKind;
  /** Counts the transitions of that kind of the alert; the same one is queued once. */
  readonly sequence: number;
  readonly facts: AlertFacts;
  /** A channel that failed, of which this tells: it is used only where there is no other. */
  readonly about_channel?: number;
  /** The channel that it came by: it knows, and is not told. */
  readonly from_channel?: number;
}

export interface Queueing {
  transitions: readonly Transition[];
  now: string;
  /** How long alerts wait for others of their cluster. */
  group_seconds: number;
  /** Metrics of rules whose alerts name their cause: they wait a moment only. */
  of_known_cause: readonly string[];
  /** Channels that tell each alert alone. */
  lone: readonly ChannelType[];
}

/** As rows `t`; one text for each fact sheet. */
const rowsOf = (transitions: readonly Transition[]): Sql => sql`unnest(
      ${transitions.map(({ alert_id }) => alert_id)}::bigint[],
      ${transitions.map(({ kind }) => kind)}::text[],
      ${transitions.map(({ sequence }) => sequence)}::int[],
      ${transitions.map(({ facts }) => JSON.stringify(facts))}::text[],
      ${transitions.map(({ about_channel = null }) => about_channel)}::int[],
      ${transitions.map(({ from_channel = null }) => from_channel)}::int[]
    ) as t (alert_id, kind, sequence, facts, about_channel, from_channel)`;

/** For what the same reading tells. */
const MOMENT_SECONDS = 3;

/** With a template of its own, and where the other side keeps alerts, nothing is gained by waiting. */
const dueAt = ({ now, group_seconds, lone, of_known_cause }: Queueing): Sql => sql`${now}::timestamptz + case
      when n.channel_type = any (${lone}::text[]) then interval '0'
      when (case t.kind when 'clear' then n.template_alert_clear when 'reminder' then n.template_reminder
        else n.template_alert_fire end) is not null then interval '0'
      when t.kind = 'fire' and t.facts::jsonb ->> 'metric_name' = any (${of_known_cause}::text[])
        then make_interval(secs => least(${MOMENT_SECONDS}::int, ${group_seconds}::int))
      else make_interval(secs => ${group_seconds}::int)
    end`;

const times = (queueing: Queueing): Sql => sql`${queueing.now}::timestamptz, ${dueAt(queueing)},
      ${queueing.now}::timestamptz + interval '24 hours'`;

/** To every channel that is told of the connection. */
export const queueFires = (db: Db, queueing: Queueing): Promise<number> =>
  db.run(sql`/* outbox.queue_fires */
    insert into matriarch.notifications (
      alert_id, connection_id, channel_id, kind, sequence, facts, group_key, queued_at, due_at, expires_at
    )
    select
      t.alert_id, c.connection_id, c.channel_id, t.kind, t.sequence, t.facts::jsonb, c.group_key, ${times(queueing)}
    from ${rowsOf(queueing.transitions)}
    join matriarch.connection_channels c on c.connection_id = (t.facts::jsonb ->> 'connection_id')::int
    join matriarch.notification_channels n on n.id = c.channel_id
    where t.about_channel is distinct from c.channel_id
      or not exists (
        select
        from matriarch.connection_channels o
        where o.connection_id = c.connection_id and o.channel_id <> c.channel_id
      )
    order by t.alert_id, t.sequence, c.channel_id
    on conflict do nothing`);

/** Only to where the alert was told, or will be. */
export const queueFollowing = (
  db: Db,
  queueing: Queueing,
  acknowledging: readonly ChannelType[],
): Promise<number> =>
  db.run(sql`/* outbox.queue_following */
    insert into matriarch.notifications (
      alert_id, connection_id, channel_id, kind, sequence, facts, group_key, queued_at, due_at, expires_at
    )
    select
      t.alert_id, f.connection_id, f.channel_id, t.kind, t.sequence, t.facts::jsonb, f.group_key, ${times(queueing)}
    from ${rowsOf(queueing.transitions)}
    cross join lateral (
      select distinct on (p.channel_id) p.connection_id, p.channel_id, p.group_key
      from matriarch.notifications p
      where p.alert_id = t.alert_id and p.kind = 'fire' and p.state in ('queued', 'sending', 'sent')
      order by p.channel_id, p.id desc
    ) f
    join matriarch.notification_channels n on n.id = f.channel_id and n.enabled
    where t.from_channel is distinct from f.channel_id
      and (
        t.kind = 'clear'
        or (t.kind = 'reminder' and n.reminder_enabled)
        or (t.kind = 'acknowledge' and n.channel_type = any (${acknowledging}::text[]))
      )
    order by t.alert_id, t.sequence, f.channel_id
    on conflict do nothing`);

/** Wakes whoever delivers when the transaction commits. */
export const notifyQueued = (db: Db): Promise<number> =>
  db.run(sql`/* outbox.notify */ select pg_notify('matriarch_notifications', '')`);

/** Alerts that are active and were last told of, by some channel, as long ago as it reminds. */
export const queueReminders = (db: Db, queueing: Omit<Queueing, 'transitions'>): Promise<number> =>
  db.run(sql`/* outbox.queue_reminders */
    with told as materialized (
      select
        t.alert_id,
        t.channel_id,
        max(t.queued_at) as last_at,
        (array_agg(t.group_key order by t.id desc))[1] as group_key,
        coalesce(max(t.sequence) filter (where t.kind = 'reminder'), 0) + 1 as sequence,
        (array_agg(t.facts order by t.id desc) filter (where t.kind = 'fire'))[1] as facts
      from matriarch.notifications t
      join matriarch.alerts a on a.id = t.alert_id and a.status = 'active'
      join matriarch.notification_channels n on n.id = t.channel_id and n.enabled and n.reminder_enabled
      where t.kind in ('fire', 'reminder')
      group by t.alert_id, t.channel_id
      having bool_or(t.kind = 'fire' and t.state = 'sent')
        and not bool_or(t.kind = 'reminder' and t.state in ('queued', 'sending'))
    )
    insert into matriarch.notifications (
      alert_id, connection_id, channel_id, kind, sequence, facts, group_key, queued_at, due_at, expires_at
    )
    select
      t.alert_id, a.connection_id, t.channel_id, t.kind, t.sequence,
      t.facts || jsonb_build_object(
        'reminder_count', t.sequence, 'metric_value', a.metric_value, 'threshold_value', a.threshold_value,
        'severity', a.severity, 'title', a.title, 'description', a.description
      ),
      t.group_key, ${queueing.now}::timestamptz, ${dueAt({ ...queueing, transitions: [] })},
      ${queueing.now}::timestamptz + interval '24 hours'
    from (select 'reminder' as kind, told.* from told) t
    join matriarch.alerts a on a.id = t.alert_id
    join matriarch.notification_channels n on n.id = t.channel_id
    where t.last_at <= ${queueing.now}::timestamptz - make_interval(hours => n.reminder_interval_hours)
    order by t.alert_id, t.channel_id
    on conflict do nothing`);
