// What happens when a notification is given up: it is said where people look, since the channel itself cannot say it. The
// alerter raises an alert of each channel that has given up (alerting/alerter/channel-alerts.ts).

import { type AuditCtx, recordAudits, systemActor } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type FailingRow, findDead, listFailing } from './dead-letters.queries.ts';

export type { FailingRow };

/** Of notifications that came to an end without being sent those that were given up, in the transaction that gives them up: a row of the audit log for each. */
export async function giveUp(
  ctx: Pick<AuditCtx, 'db' | 'clock' | 'log'>,
  ended: readonly { id: number; state: string }[],
): Promise<void> {
  const ids = ended.filter(({ state }) => state === 'dead').map(({ id }) => id);
  if (ids.length === 0) return;
  const dead = await findDead(ctx.db, ids);
  await recordAudits(
    { ...ctx, principal: systemActor('server') },
    dead.map(
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
  for (const { id: notification_id, channel_id, alert_id, report_schedule_id } of dead)
    ctx.log.warn({
      ...{ event: 'notifications.dead', notification_id, channel_id, alert_id, report_schedule_id },
    });
}

/** Channels of which something was given up lately, or since which nothing was delivered; one statement. */
export const failingChannels = (db: Db, now: number): Promise<FailingRow[]> =>
  listFailing(db, new Date(now).toISOString());
