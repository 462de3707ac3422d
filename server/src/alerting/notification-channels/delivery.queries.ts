// The statements of delivering: what is due is claimed by one process at a time for each channel, and what came of it is
// written only by whoever claimed it. Times come from the caller's clock.

import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertFacts, NotificationKind } from '../channels/alert-facts.ts';
import type { ChannelRow } from './notification-channels.queries.ts';

/** What goes out: what is told of an alert, or a report. */
export type DeliveredKind = NotificationKind | 'report';

/** What a blackout keeps quiet: connections, or one database of them where it is not null. */
export interface Held {
  connection_id: number;
  database_name: string | null;
}

/** Whether `q` is held back. */
export const isHeld = (held: readonly Held[]): Sql => sql`exists (
        select
        from unnest(
          ${held.map(({ connection_id }) => connection_id)}::int[], ${held.map(({ database_name }) => database_name)}::text[]
        ) as h (connection_id, database_name)
        where h.connection_id = q.connection_id
          and h.database_name is not distinct from q.facts ->> 'database_name'
      )`;

/** The order of an alert on a channel, and of the reports of a schedule, is kept: nothing goes before what came before it. */
const isFirst: Sql = sql`not exists (
        select
        from matriarch.notifications p
        where p.alert_id = q.alert_id and p.channel_id = q.channel_id and p.id < q.id
          and p.state in ('queued', 'sending')
      )
      and (
        q.report_schedule_id is null
        or not exists (
          select
          from matriarch.notifications p
          where p.report_schedule_id = q.report_schedule_id and p.tick < q.tick and p.state in ('queued', 'sending')
        )
      )`;

/** What waits or is being sent, by connection and database; of a report neither is known. */
export const listWaiting = (
  db: Db,
): Promise<{ connection_id: number | null; database_name: string | null }[]> =>
  db.rows(sql`/* delivery.waiting */
    select distinct q.connection_id, q.facts ->> 'database_name' as database_name
    from matriarch.notifications q
    where q.state in ('queued', 'sending')`);

export interface Ready {
  now: string;
  held: readonly Held[];
}

export interface ClaimedChannel extends ChannelRow {
  failures: number;
  /** Before it nothing is sent; it has passed when the channel is claimed. */
  retry_at: string | null;
}

/** A channel with something due that nobody sends by now, held until the end of the transaction. */
export const claimChannel = (db: Db, { now, held }: Ready): Promise<ClaimedChannel | undefined> =>
  db.maybe<ClaimedChannel>(sql`/* delivery.claim_channel */
    select
      n.id, n.channel_type, n.name, n.description, n.enabled, n.is_estate_default, n.config,
      n.template_alert_fire, n.template_alert_clear, n.template_reminder, n.reminder_enabled,
      n.reminder_interval_hours, n.failures, n.retry_at
    from matriarch.notification_channels n
    where n.enabled
      and (n.retry_at is null or n.retry_at <= ${now}::timestamptz)
      and not exists (
        select from matriarch.notifications s where s.channel_id = n.id and s.state = 'sending'
      )
      and exists (
        select
        from matriarch.notifications q
        where q.channel_id = n.id and q.state = 'queued' and q.due_at <= ${now}::timestamptz
          and ${isFirst} and not ${isHeld(held)}
      )
    order by n.id
    limit 1
    for update of n skip locked`);

export interface ClaimedRow {
  id: number;
  kind: DeliveredKind;
  /** Of a report no facts are kept: they are found when it is sent. */
  facts: AlertFacts;
  message_id: string;
  attempts: number;
  resends: number;
  report_schedule_id: number | null;
  tick: string | null;
}

export interface Claim extends Ready {
  channel_id: number;
  /** Kinds of which several alerts go into one message. */
  grouped: readonly NotificationKind[];
  /** Most alerts of one message. */
  most: number;
  lease_until: string;
}

/** What is due first, with what goes along: what went with it before, or else what came within moments of it or is due. */
export const claimMessage = (db: Db, claim: Claim): Promise<ClaimedRow[]> =>
  db.rows<ClaimedRow>(sql`/* delivery.claim_message */
    with head as materialized (
      select q.id, q.message_id, q.group_key, q.kind, gen_random_uuid() as fresh
      from matriarch.notifications q
      where q.channel_id = ${claim.channel_id}::int and q.state = 'queued'
        and q.due_at <= ${claim.now}::timestamptz
        and ${isFirst} and not ${isHeld(claim.held)}
      order by q.due_at, q.id
      limit 1
      for update
    ),
    mates as materialized (
      select q.id
      from matriarch.notifications q
      cross join head
      where q.channel_id = ${claim.channel_id}::int and q.state = 'queued'
        and (
          q.id = head.id
          or q.message_id = head.message_id
          or (
            head.message_id is null and q.message_id is null and head.kind = any (${claim.grouped}::text[])
            and (q.group_key = head.group_key or q.due_at <= ${claim.now}::timestamptz) and q.kind = head.kind
            and ${isFirst} and not ${isHeld(claim.held)}
          )
        )
      order by q.id <> head.id, q.id
      limit ${claim.most}::int
      for update of q
    ),
    taken as (
      update matriarch.notifications n
      set
        state = 'sending', message_id = coalesce(head.message_id, head.fresh), attempts = n.attempts + 1,
        lease_until = ${claim.lease_until}::timestamptz
      from head, mates
      where n.id = mates.id
      returning n.id, n.kind, n.facts, n.message_id, n.attempts, n.resends, n.report_schedule_id, n.tick
    ),
    noted as (
      insert into matriarch.notification_attempts (message_id, attempt, channel_id, started_at)
      select taken.message_id, max(taken.attempts), ${claim.channel_id}::int, ${claim.now}::timestamptz
      from taken
      group by taken.message_id
      on conflict (message_id, attempt) do update set started_at = excluded.started_at
    )
    select
      taken.id, taken.kind, taken.facts, taken.message_id, taken.attempts, taken.resends, taken.report_schedule_id, taken.tick
    from taken
    order by taken.id`);

export interface End {
  ids: readonly number[];
  message_id: string;
  attempt: number;
  now: string;
  reply: string;
}

/** Nothing when the lease ran out and somebody else has it. */
export const markSent = (db: Db, end: End): Promise<number> =>
  db.run(sql`/* delivery.sent */
    update matriarch.notifications n
    set state = 'sent', ended_at = ${end.now}::timestamptz, lease_until = null, reply = ${end.reply}
    where n.id = any (${end.ids}::bigint[]) and n.state = 'sending' and n.attempts <= ${end.attempt}::int`);

/** There is nobody any more by whose rights it could be sent, or nothing to tell. */
export const markSkipped = (db: Db, end: End): Promise<number> =>
  db.run(sql`/* delivery.skipped */
    update matriarch.notifications n
    set state = 'skipped', ended_at = ${end.now}::timestamptz, lease_until = null, reply = ${end.reply}
    where n.id = any (${end.ids}::bigint[]) and n.state = 'sending' and n.attempts <= ${end.attempt}::int`);

/** Back into the queue, or given up where its time is over. */
export const markFailed = (db: Db, end: End & { due_at: string }): Promise<{ id: number; state: string }[]> =>
  db.rows<{ id: number; state: string }>(sql`/* delivery.failed */
    update matriarch.notifications n
    set
      state = case when n.expires_at <= ${end.now}::timestamptz then 'dead' else 'queued' end,
      ended_at = case when n.expires_at <= ${end.now}::timestamptz then ${end.now}::timestamptz end,
      due_at = ${end.due_at}::timestamptz, lease_until = null, reply = ${end.reply}
    where n.id = any (${end.ids}::bigint[]) and n.state = 'sending' and n.attempts <= ${end.attempt}::int
    returning n.id, n.state`);

export const noteAttempt = (
  db: Db,
  { message_id, attempt, now, reply }: Omit<End, 'ids'>,
  outcome: 'delivered' | 'failed' | 'interrupted',
): Promise<number> =>
  db.run(sql`/* delivery.note_attempt */
    update matriarch.notification_attempts a
    set ended_at = ${now}::timestamptz, outcome = ${outcome}, reply = ${reply}
    where a.message_id = ${message_id}::uuid and a.attempt = ${attempt}::int`);

/** `retry_at` null: all is well. */
export const noteChannel = (
  db: Db,
  { id, failures, retry_at }: { id: number; failures: number; retry_at: string | null },
): Promise<number> =>
  db.run(sql`/* delivery.note_channel */
    update matriarch.notification_channels n
    set failures = ${failures}::int, retry_at = ${retry_at}::timestamptz
    where n.id = ${id}::int and (n.failures, n.retry_at) is distinct from (${failures}::int, ${retry_at}::timestamptz)`);
