// The statements of delivering: what is due is claimed by one process at a time for each channel, and what came of it is written only by
// the process that claimed it; before, what was lost comes back, what needs not be sent goes, what is old is forgotten. Times come from
// the caller's clock.

import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { AlertFacts, NotificationKind } from '../channels/alert-facts.ts';
import { type ChannelRow, channelColumns } from './notification-channels.queries.ts';

/** What goes out: what is told of an alert, or a report. */
export type DeliveredKind = NotificationKind | 'report';

/** What a blackout keeps quiet: connections, or one database of them where it is not null. */
export interface Held {
  connection_id: number;
  database_name: string | null;
}

/** Whether `q` is held back. */
const isHeld = (held: readonly Held[]): Sql => sql`exists (
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

interface Ready {
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
    select ${channelColumns}, n.failures, n.retry_at
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

/** Nothing when the lease ran out and another process has it. Skipped: nobody is left by whose rights it could be sent, or nothing to say. */
export const markEnded = (db: Db, end: End, state: 'sent' | 'skipped'): Promise<number> =>
  db.run(sql`/* delivery.ended */
    update matriarch.notifications n
    set state = ${state}, ended_at = ${end.now}::timestamptz, lease_until = null, reply = ${end.reply}
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

/** Whoever sent these has died or frozen; whether they arrived is not known. */
export const recoverLost = (db: Db, now: string): Promise<number> =>
  db.run(sql`/* delivery.recover */
    with lost as (
      update matriarch.notifications n
      set state = 'queued', lease_until = null, due_at = ${now}::timestamptz
      where n.state = 'sending' and n.lease_until <= ${now}::timestamptz
      returning n.message_id, n.attempts
    )
    update matriarch.notification_attempts a
    set ended_at = ${now}::timestamptz, outcome = 'interrupted', reply = 'The sender ended before it had an answer.'
    from lost
    where a.message_id = lost.message_id and a.attempt = lost.attempts and a.ended_at is null`);

/** What a blackout holds back does not get old meanwhile; said once an hour. */
export const keepHeld = (db: Db, { now, held }: Ready): Promise<number> =>
  db.run(sql`/* delivery.keep_held */
    update matriarch.notifications q
    set expires_at = ${now}::timestamptz + interval '24 hours'
    where q.state = 'queued' and q.expires_at < ${now}::timestamptz + interval '23 hours' and ${isHeld(held)}`);

/** An alert that came and went while it was kept quiet is told to nobody. */
export const skipQuiet = (db: Db, { now, held }: Ready): Promise<number> =>
  db.run(sql`/* delivery.skip_quiet */
    update matriarch.notifications d
    set state = 'skipped', ended_at = ${now}::timestamptz, reply = 'It was over before the blackout ended.'
    from matriarch.notifications q
    where q.state = 'queued' and q.kind = 'clear' and ${isHeld(held)}
      and d.alert_id = q.alert_id and d.channel_id = q.channel_id and d.id <= q.id and d.state = 'queued'
      and not exists (
        select
        from matriarch.notifications f
        where f.alert_id = q.alert_id and f.channel_id = q.channel_id and f.id < q.id
          and (f.state in ('sending', 'sent') or f.attempts > 0)
      )`);

/** What follows an alert that was never told, and reminders of what is no longer open, or that a newer one follows. */
export const skipUnfounded = (db: Db, now: string): Promise<number> =>
  db.run(sql`/* delivery.skip_unfounded */
    update matriarch.notifications q
    set
      state = 'skipped', ended_at = ${now}::timestamptz,
      reply = case q.kind when 'reminder' then 'It was no longer needed.' else 'The alert itself was not delivered.' end
    where q.state = 'queued' and q.kind not in ('fire', 'report')
      and (
        not exists (
          select
          from matriarch.notifications f
          where f.alert_id = q.alert_id and f.channel_id = q.channel_id and f.kind = 'fire'
            and f.state in ('queued', 'sending', 'sent')
        )
        or (
          q.kind = 'reminder'
          and (
            not exists (select from matriarch.alerts a where a.id = q.alert_id and a.status = 'active')
            or exists (
              select
              from matriarch.notifications r
              where r.alert_id = q.alert_id and r.channel_id = q.channel_id and r.kind = 'reminder' and r.id > q.id
            )
          )
        )
      )`);

/** What waited behind others for a day is given up; of a channel that was switched off without a word. */
export const expire = (
  db: Db,
  now: string,
  which: 'fires' | 'all',
): Promise<{ id: number; state: string }[]> =>
  db.rows<{ id: number; state: string }>(sql`/* delivery.expire */
    update matriarch.notifications q
    set
      state = case when n.enabled then 'dead' else 'skipped' end, ended_at = ${now}::timestamptz,
      reply = case
        when n.enabled then coalesce(q.reply, 'No message was accepted for a day.')
        else 'The channel was switched off.'
      end
    from matriarch.notification_channels n
    where n.id = q.channel_id and q.state = 'queued' and q.expires_at <= ${now}::timestamptz
      and (not n.enabled or q.attempts > 0 or n.failures > 0)
      and (q.kind in ('fire', 'report') or ${which === 'all'}::boolean)
    returning q.id, q.state`);

/** What was given up is kept for 30 days; what was told of an alert as long as that, and a report that was sent for 90 days. */
export const prune = (db: Db, now: string): Promise<number> =>
  db.run(sql`/* delivery.prune */
    with gone as (
      delete from matriarch.notifications n
      where (n.state in ('dead', 'skipped') and n.ended_at < ${now}::timestamptz - interval '30 days')
        or (n.kind = 'report' and n.state = 'sent' and n.ended_at < ${now}::timestamptz - interval '90 days')
    )
    delete from matriarch.notification_attempts a
    where a.started_at < ${now}::timestamptz - interval '31 days'
      and not exists (select from matriarch.notifications n where n.message_id = a.message_id)`);
