// Alerts that somebody takes on where they were told, and not here. Guards: what happened before the newest change of an
// alert changes nothing, so a message that comes late or again does not silence what has fired since; what somebody
// acknowledged here is not taken back from there.
import { type Ctx, recordAudit } from '../../identity/identity.ts';
import { acknowledge, unacknowledge } from './alerts.queries.ts';
import { isNewest, type LockedAlert, lockAlert } from './elsewhere.queries.ts';
import { queueAlertNotifications } from './outbox.service.ts';

export interface Elsewhere {
  alert_id: number;
  action: 'acknowledge' | 'unacknowledge';
  /** Who, with where it was done before it, such as `PagerDuty: Ada`. */
  actor: string;
  message: string;
  /** When it was done there. */
  at: string;
  /** The channel that it came by: it is not told again. */
  channel_id: number;
  details: Readonly<Record<string, string | number>>;
}

/** It was acknowledged there, by whomever. */
const isOfThere = ({ acknowledged_by, false_positive }: LockedAlert, { actor }: Elsewhere): boolean =>
  !false_positive && acknowledged_by?.split(':')[0] === actor.split(':')[0];

async function change(tx: Ctx, alert: LockedAlert, done: Elsewhere): Promise<boolean> {
  const { alert_id, action, actor, message } = done;
  if (action === 'acknowledge')
    return acknowledge(tx.db, { alert_id, actor, message, false_positive: false });
  return isOfThere(alert, done) && unacknowledge(tx.db, alert_id, actor);
}

/** Within a transaction. What the alert is now; undefined where nothing was done. */
export async function changeFromElsewhere(
  tx: Ctx,
  done: Elsewhere,
): Promise<'acknowledged' | 'active' | undefined> {
  const { alert_id, action, channel_id } = done;
  const alert = await lockAlert(tx.db, alert_id);
  if (!alert || !(await isNewest(tx.db, alert_id, done.at))) return undefined;
  if (!(await change(tx, alert, done))) return undefined;
  const { connection_id, title } = alert;
  const isAcknowledged = action === 'acknowledge';
  if (isAcknowledged)
    await queueAlertNotifications(tx, { kind: 'acknowledge', ids: [alert_id], from_channel: channel_id });
  await recordAudit(tx, {
    action: `alert.${action}`,
    target: { kind: 'alert', id: alert_id, name: title },
    details: { connection_id, ...done.details },
  });
  return isAcknowledged ? 'acknowledged' : 'active';
}
