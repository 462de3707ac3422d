// The statements of holding all notifications back.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';

export interface Hold {
  held_at: string;
  reason: string;
}

export const findHold = (db: Db): Promise<Hold | undefined> =>
  db.maybe<Hold>(sql`/* holds.find */ select h.held_at, h.reason from matriarch.notification_holds h`);

export interface QueueRow {
  held_at: string | null;
  reason: string | null;
  is_waiting: boolean;
}

/** What is held, null for nothing, and whether anything waits. */
export const findQueueState = (db: Db): Promise<QueueRow> =>
  db.one<QueueRow>(
    prepared(sql`/* holds.queue_state */
    select
      h.held_at, h.reason,
      exists (select from matriarch.notifications q where q.state in ('queued', 'sending')) as is_waiting
    from (select) one
    left join matriarch.notification_holds h on true`),
  );

/** The first one stays. */
export const insertHold = (db: Db, { held_at, reason }: Hold): Promise<number> =>
  db.run(sql`/* holds.insert */
    insert into matriarch.notification_holds (held_at, reason) values (${held_at}::timestamptz, ${reason})
    on conflict (id) do nothing`);

export const deleteHold = (db: Db): Promise<number> =>
  db.run(sql`/* holds.delete */ delete from matriarch.notification_holds`);

/** What waits is not given up because it waited. Answers how many wait. */
export const renewWaiting = (db: Db, now: string): Promise<number> =>
  db.run(sql`/* holds.renew */
    update matriarch.notifications n
    set expires_at = greatest(n.expires_at, ${now}::timestamptz + interval '24 hours')
    where n.state in ('queued', 'sending')`);

/** Answers how many were waiting. */
export const skipWaiting = (db: Db, end: { now: string; reply: string }): Promise<number> =>
  db.run(sql`/* holds.skip */
    update matriarch.notifications n
    set state = 'skipped', ended_at = ${end.now}::timestamptz, lease_until = null, reply = ${end.reply}
    where n.state in ('queued', 'sending')`);
