// Holding all notifications back, as a restored copy does whose original may still run: both would notify of the same. Guards: what is held
// is kept and said, and a person decides whether it is sent or dropped.
import { type AuditCtx, type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { commandLine } from '../../kernel/command-line.ts';
import type { Db } from '../../kernel/db.ts';
import { UsageError } from '../../kernel/errors.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { iso } from '../../kernel/times.ts';
import { notifyQueued } from '../alerts/outbox.service.ts';
import * as queries from './holds.queries.ts';

export const holdText = ({ held_at, reason }: queries.Hold): string =>
  `Notifications are held since ${shownTime(held_at)}: ${reason.replace(/\.$/, '')}. Run ${commandLine('notifications release')} to send them.`;

/** From now on nothing is sent. A hold that is there already stays as it is. */
export async function holdNotifications(ctx: AuditCtx, reason: string): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const held = await queries.insertHold(db, { held_at: iso(ctx.clock.now()), reason });
    if (held > 0) await recordAudit({ ...ctx, db }, { action: 'notifications.hold', details: { reason } });
  });
}

/** Lets what waits go, or drops it; answers how many notifications that were. Throws UsageError where nothing is held. */
export async function releaseNotifications(ctx: Ctx, { drop }: { drop: boolean }): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    if ((await queries.deleteHold(tx.db)) === 0) throw new UsageError('No notifications are held.');
    const now = iso(tx.clock.now());
    const reply = 'Dropped when held notifications were released.';
    const waiting = drop
      ? await queries.skipWaiting(tx.db, { now, reply })
      : await queries.renewWaiting(tx.db, now);
    await notifyQueued(tx.db);
    await recordAudit(tx, { action: 'notifications.release', details: { waiting, dropped: drop } });
    return waiting;
  });
}

/** Undefined while notifications go out. */
export const currentHold = (db: Db): Promise<queries.Hold | undefined> => queries.findHold(db);

export interface QueueState {
  hold: queries.Hold | undefined;
  /** Something is queued, or being sent. */
  is_waiting: boolean;
}

/** One statement. */
export async function queueState(db: Db): Promise<QueueState> {
  const { held_at, reason, is_waiting } = await queries.findQueueState(db);
  return { hold: held_at === null || reason === null ? undefined : { held_at, reason }, is_waiting };
}
