// The statements that tell what became of notifications, and that have one sent again. Guards: one of an alert is seen by whoever sees the
// connection, and a report by whoever sees its schedule.

import { type Principal, seenReport, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';
import type { DeadRow } from './dead-letters.queries.ts';

/** True where `principal` can see what was told of the connection `c`, or the report of the schedule `r`, whichever is there. */
export const seenDelivery = (principal: Principal): Sql => sql`(case
      when r.id is not null then ${seenReport(principal)}
      else c.id is not null and ${visible(principal)}
    end)`;

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
