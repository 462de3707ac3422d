// The statements of report schedules. Guards: every read is cut to the caller's own, of everybody for superusers; a time of a
// schedule is queued once, whoever queues it and however often it is tried.

import { type Principal, seenReport, visible, visibleCluster } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { prepared, type Sql, sql } from '../../kernel/sql.ts';

export interface ScheduleValues {
  name: string;
  scope: 'estate' | 'cluster' | 'server';
  scope_id: number | null;
  channel_id: number | null;
  cron_expression: string;
  timezone: string;
  enabled: boolean;
  next_at: string | null;
}

interface Last {
  notification_id: number;
  tick: string;
  state: 'queued' | 'sending' | 'sent' | 'dead' | 'skipped';
  reply: string | null;
  ended_at: string | null;
}

export interface ScheduleRow extends ScheduleValues {
  id: number;
  owner_user_id: number;
  owner_username: string;
  channel_name: string | null;
  target_name: string | null;
  last: Last | null;
}

/** The name of what `r` is of, where `principal` can see it; null for the estate. */
const targetName = (principal: Principal): Sql => sql`case r.scope
    when 'server' then (
      select c.name from matriarch.connections c
      where c.id = r.scope_id and c.deleted_at is null and ${visible(principal)}
    )
    when 'cluster' then (
      select cl.name from matriarch.clusters cl where cl.id = r.scope_id and ${visibleCluster(principal)}
    )
  end`;

const columns = (principal: Principal): Sql => sql`
    r.id, r.name, r.scope, r.scope_id, r.channel_id, r.owner_user_id, r.cron_expression, r.timezone, r.enabled, r.next_at,
    u.username as owner_username, n.name as channel_name, ${targetName(principal)} as target_name,
    (
      select jsonb_build_object(
        'notification_id', q.id, 'tick', q.tick, 'state', q.state, 'reply', q.reply, 'ended_at', q.ended_at
      )
      from matriarch.notifications q
      where q.report_schedule_id = r.id
      order by q.tick desc
      limit 1
    ) as last`;

const from = sql`
  from matriarch.report_schedules r
  join matriarch.users u on u.id = r.owner_user_id
  left join matriarch.notification_channels n on n.id = r.channel_id`;

export const listRows = (db: Db, principal: Principal): Promise<ScheduleRow[]> =>
  db.rows<ScheduleRow>(sql`/* report_schedules.list */
    select ${columns(principal)}
    ${from}
    where ${seenReport(principal)}
    order by lower(r.name), r.id
    limit 1000`);

export const findRow = (db: Db, principal: Principal, id: number): Promise<ScheduleRow | undefined> =>
  db.maybe<ScheduleRow>(sql`/* report_schedules.find */
    select ${columns(principal)}
    ${from}
    where r.id = ${id}::int and ${seenReport(principal)}`);

/** Nobody else changes it, nor queues its reports, until the end of the transaction. */
export const lockRow = (db: Db, principal: Principal, id: number): Promise<{ id: number } | undefined> =>
  db.maybe<{ id: number }>(sql`/* report_schedules.lock */
    select r.id from matriarch.report_schedules r where r.id = ${id}::int and ${seenReport(principal)} for update`);

/** Of all, for what the program does by itself. */
export const findAny = (
  db: Db,
  id: number,
): Promise<(ScheduleValues & { owner_user_id: number }) | undefined> =>
  db.maybe(sql`/* report_schedules.any */
    select
      r.name, r.scope, r.scope_id, r.channel_id, r.cron_expression, r.timezone, r.enabled, r.next_at, r.owner_user_id
    from matriarch.report_schedules r
    where r.id = ${id}::int`);

export const countOwned = (db: Db, owner_user_id: number): Promise<{ count: number }> =>
  db.one(sql`/* report_schedules.count */
    select count(*)::int as count from matriarch.report_schedules r where r.owner_user_id = ${owner_user_id}::int`);

export const insertRow = (
  db: Db,
  row: ScheduleValues,
  { owner_user_id, at }: { owner_user_id: number; at: string },
): Promise<{ id: number }> =>
  db.one<{ id: number }>(sql`/* report_schedules.create */
    insert into matriarch.report_schedules (
      name, scope, scope_id, channel_id, owner_user_id, cron_expression, timezone, enabled, next_at, created_at, updated_at
    )
    values (
      ${row.name}, ${row.scope}, ${row.scope_id}::int, ${row.channel_id}::int, ${owner_user_id}::int,
      ${row.cron_expression}, ${row.timezone}, ${row.enabled}::boolean, ${row.next_at}::timestamptz,
      ${at}::timestamptz, ${at}::timestamptz
    )
    returning id`);

export const updateRow = (
  db: Db,
  row: ScheduleValues,
  { id, at }: { id: number; at: string },
): Promise<number> =>
  db.run(sql`/* report_schedules.update */
    update matriarch.report_schedules r
    set
      name = ${row.name}, scope = ${row.scope}, scope_id = ${row.scope_id}::int, channel_id = ${row.channel_id}::int,
      cron_expression = ${row.cron_expression}, timezone = ${row.timezone}, enabled = ${row.enabled}::boolean,
      next_at = ${row.next_at}::timestamptz, updated_at = ${at}::timestamptz
    where r.id = ${id}::int`);

export const deleteRow = (db: Db, id: number): Promise<number> =>
  db.run(sql`/* report_schedules.delete */ delete from matriarch.report_schedules r where r.id = ${id}::int`);

export interface DueRow {
  id: number;
  name: string;
  cron_expression: string;
  timezone: string;
  next_at: string;
}

const isDue = (now: string): Sql =>
  sql`r.enabled and r.channel_id is not null and r.next_at <= ${now}::timestamptz`;

export const isAnyDue = (db: Db, now: string): Promise<{ is_due: boolean }> =>
  db.one<{ is_due: boolean }>(
    prepared(sql`/* report_schedules.any_due */
    select exists (select from matriarch.report_schedules r where ${isDue(now)}) as is_due`),
  );

/** Held until the end of the transaction; what somebody else holds is theirs. */
export const claimDue = (db: Db, now: string, limit: number): Promise<DueRow[]> =>
  db.rows<DueRow>(sql`/* report_schedules.due */
    select r.id, r.name, r.cron_expression, r.timezone, r.next_at
    from matriarch.report_schedules r
    where ${isDue(now)}
    order by r.next_at, r.id
    limit ${limit}::int
    for update skip locked`);

export const setNext = (db: Db, id: number, next_at: string | null): Promise<number> =>
  db.run(sql`/* report_schedules.next */
    update matriarch.report_schedules r set next_at = ${next_at}::timestamptz where r.id = ${id}::int`);

/** 0: it was queued before. What it says is found when it is sent; kept is only what it is called. */
export const queueReport = (db: Db, asked: { id: number; tick: string; now: string }): Promise<number> =>
  db.run(sql`/* report_schedules.queue */
    insert into matriarch.notifications (
      channel_id, kind, sequence, facts, group_key, queued_at, due_at, expires_at, report_schedule_id, tick
    )
    select
      r.channel_id, 'report', 1,
      jsonb_build_object('title', 'Report: ' || r.name, 'server_name', coalesce(c.name, cl.name, 'Every server')),
      'report:' || r.id, ${asked.now}::timestamptz, ${asked.now}::timestamptz,
      ${asked.now}::timestamptz + interval '24 hours', r.id, ${asked.tick}::timestamptz
    from matriarch.report_schedules r
    left join matriarch.connections c on r.scope = 'server' and c.id = r.scope_id
    left join matriarch.clusters cl on r.scope = 'cluster' and cl.id = r.scope_id
    where r.id = ${asked.id}::int and r.channel_id is not null
    on conflict do nothing`);

export const isWaiting = (db: Db, id: number): Promise<{ id: number } | undefined> =>
  db.maybe<{ id: number }>(sql`/* report_schedules.waiting */
    select q.id
    from matriarch.notifications q
    where q.report_schedule_id = ${id}::int and q.state in ('queued', 'sending')
    limit 1`);

/** Undefined for the estate, and for what is gone. */
export const nameOfTarget = (
  db: Db,
  { scope, scope_id }: Pick<ScheduleValues, 'scope' | 'scope_id'>,
): Promise<{ name: string } | undefined> =>
  db.maybe<{ name: string }>(sql`/* report_schedules.target */
    select c.name from matriarch.connections c where ${scope} = 'server' and c.id = ${scope_id}::int
    union all
    select cl.name from matriarch.clusters cl where ${scope} = 'cluster' and cl.id = ${scope_id}::int`);

/** What waits goes where the schedule leads now. */
export const moveWaiting = (db: Db, id: number, channel_id: number): Promise<number> =>
  db.run(sql`/* report_schedules.move */
    update matriarch.notifications q
    set channel_id = ${channel_id}::int
    where q.report_schedule_id = ${id}::int and q.state = 'queued' and q.channel_id <> ${channel_id}::int`);
