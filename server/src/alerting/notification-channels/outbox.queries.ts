// The statements that put notifications into the outbox, and that tell what came of them. Times come from the caller's
// clock.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertFacts, NotificationKind } from '../channels/alert-facts.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';
import type { DeadRow } from './dead-letters.queries.ts';
import { seenDelivery } from './report-rows.queries.ts';

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

export interface DeliveryRow extends DeadRow {
  channel_type: ChannelType;
  sequence: number;
  state: 'queued' | 'sending' | 'sent' | 'dead' | 'skipped';
  title: string;
  server_name: string;
  message_id: string | null;
  queued_at: string;
  due_at: string;
  ended_at: string | null;
  attempts: number;
}

export interface DeliveryFilter {
  /** Undefined: all, for the command line. */
  reader?: Principal | undefined;
  alert_id?: number | undefined;
  channel_id?: number | undefined;
  id?: number | undefined;
  state?: DeliveryRow['state'] | undefined;
  limit: number;
  offset: number;
}

const fits = ({ reader, alert_id, channel_id, id, state }: DeliveryFilter): Sql => sql`
    (${alert_id ?? null}::bigint is null or d.alert_id = ${alert_id ?? null}::bigint)
      and (${channel_id ?? null}::int is null or d.channel_id = ${channel_id ?? null}::int)
      and (${id ?? null}::bigint is null or d.id = ${id ?? null}::bigint)
      and (${state ?? null}::text is null or d.state = ${state ?? null}::text)
      and ${reader ? seenDelivery(reader) : sql`true`}`;

/** Newest first. */
export const listDeliveries = (db: Db, filter: DeliveryFilter): Promise<DeliveryRow[]> =>
  db.rows<DeliveryRow>(sql`/* outbox.list */
    select
      d.id, d.alert_id, d.connection_id, d.report_schedule_id, d.channel_id, n.name as channel_name, n.channel_type, d.kind, d.sequence,
      d.state, d.facts ->> 'title' as title, d.facts ->> 'server_name' as server_name, d.message_id, d.queued_at,
      greatest(d.due_at, n.retry_at) as due_at, d.ended_at, d.attempts, d.reply
    from matriarch.notifications d
    join matriarch.notification_channels n on n.id = d.channel_id
    left join matriarch.connections c on c.id = d.connection_id
    left join matriarch.report_schedules r on r.id = d.report_schedule_id
    where ${fits(filter)}
    order by d.id desc
    limit ${filter.limit}::int offset ${filter.offset}::int`);

export const countDeliveries = (db: Db, filter: DeliveryFilter): Promise<{ count: number }> =>
  db.one<{ count: number }>(sql`/* outbox.count */
    select count(*)::int as count
    from matriarch.notifications d
    left join matriarch.connections c on c.id = d.connection_id
    left join matriarch.report_schedules r on r.id = d.report_schedule_id
    where ${fits(filter)}`);

export interface AttemptRow {
  message_id: string;
  attempt: number;
  started_at: string;
  ended_at: string | null;
  outcome: 'delivered' | 'failed' | 'interrupted' | null;
  reply: string | null;
}

export const listAttempts = (db: Db, messageIds: readonly string[]): Promise<AttemptRow[]> =>
  db.rows<AttemptRow>(sql`/* outbox.attempts */
    select a.message_id, a.attempt, a.started_at, a.ended_at, a.outcome, a.reply
    from matriarch.notification_attempts a
    where a.message_id = any (${messageIds}::uuid[])
    order by a.message_id, a.attempt`);

/** Whether there is such an alert that the reader can see. */
export const findAlert = (db: Db, reader: Principal, id: number): Promise<{ id: number } | undefined> =>
  db.maybe<{ id: number }>(sql`/* outbox.alert */
    select a.id
    from matriarch.alerts a
    join matriarch.connections c on c.id = a.connection_id
    where a.id = ${id}::bigint and ${visible(reader)}`);

/** With what was given up together with it, and what was not sent because of it. Nothing while it is being sent. */
export const requeue = (db: Db, id: number, now: string): Promise<{ id: number }[]> =>
  db.rows<{ id: number }>(sql`/* outbox.resend */
    with wanted as (
      select w.id, w.alert_id, w.channel_id, w.message_id, w.state
      from matriarch.notifications w
      where w.id = ${id}::bigint and w.state <> 'sending'
      for update
    ),
    tried as (
      update matriarch.notification_channels n
      set retry_at = null
      from wanted
      where n.id = wanted.channel_id and n.retry_at is not null
    )
    update matriarch.notifications d
    set
      state = 'queued', due_at = ${now}::timestamptz, ended_at = null, lease_until = null,
      expires_at = ${now}::timestamptz + interval '24 hours',
      resends = d.resends + case when d.state = 'queued' then 0 else 1 end
    from wanted w
    where d.id = w.id
      or (w.state = 'dead' and d.state = 'dead' and d.message_id = w.message_id)
      or (
        w.state = 'dead' and d.state = 'skipped' and d.kind <> 'reminder'
        and d.alert_id = w.alert_id and d.channel_id = w.channel_id and d.id > w.id
      )
    returning d.id`);
