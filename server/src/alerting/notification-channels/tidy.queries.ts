// The statements between two rounds of delivering: what was lost comes back, what needs not be sent goes, what is old is
// forgotten. Times come from the caller's clock.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { isHeld, type Ready } from './delivery.queries.ts';

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
