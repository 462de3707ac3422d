// What happens when a notification is given up: it is said where people look, since the channel itself cannot say it. The
// alerter raises an alert of each channel that has given up (alerting/alerter/channel-alerts.ts).

import { type AuditCtx, recordAudits, systemActor } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type DeadRow, type FailingRow, findDead, listFailing } from './dead-letters.queries.ts';

export type { FailingRow };

/** For each notification that was given up, in the transaction that gives it up: a row of the audit log. */
async function onDead(
  ctx: Pick<AuditCtx, 'db' | 'clock' | 'log'>,
  notifications: readonly DeadRow[],
): Promise<void> {
  await recordAudits(
    { ...ctx, principal: systemActor('server') },
    notifications.map(
      ({ id, channel_id, channel_name, connection_id, alert_id, report_schedule_id, kind, reply }) => ({
        action: 'notification.give_up',
        outcome: 'failed',
        target: { kind: 'channel', id: channel_id, name: channel_name },
        details: {
          ...{ notification_id: id, kind, reply },
          ...(report_schedule_id === null ? { alert_id, connection_id } : { report_schedule_id }),
        },
      }),
    ),
  );
  for (const { id, channel_id, alert_id, report_schedule_id } of notifications)
    ctx.log.warn({
      event: 'notifications.dead',
      notification_id: id,
      channel_id,
      alert_id,
      report_schedule_id,
    });
}

/** Calls onDead for these, if there are any. */
export async function giveUp(
  ctx: Pick<AuditCtx, 'db' | 'clock' | 'log'>,
  ids: readonly number[],
): Promise<void> {
  if (ids.length > 0) await onDead(ctx, await findDead(ctx.db, ids));
}

/** Channels of which something was given up lately, or since which nothing was delivered; one statement. */
export const failingChannels = (db: Db, now: number): Promise<FailingRow[]> =>
  listFailing(db, new Date(now).toISOString());
