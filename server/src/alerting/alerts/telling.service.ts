// What of alerts is told by notifications: put into the outbox in the transaction that changes them. Guards: an alert that
// follows from another one is not told; what is told is as it was at that moment.
import type { Ctx } from '../../identity/identity.ts';
import { type QueueOptions, queueNotifications } from '../notification-channels/outbox.service.ts';
import { findFacts, type NotifiedChange } from './alert-facts.queries.ts';

/** Four statements at most, whatever the number of alerts. */
export async function tellAlerts(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { kind, ids, from_channel }: { kind: NotifiedChange; ids: readonly number[]; from_channel?: number },
  options: QueueOptions = {},
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await findFacts(ctx.db, kind, ids);
  const transitions = rows.map(({ sequence, about_channel, ...facts }) => ({
    alert_id: facts.alert_id,
    kind,
    sequence,
    ...(about_channel !== null && { about_channel }),
    ...(from_channel !== undefined && { from_channel }),
    facts: { ...facts, acknowledged_by: kind === 'acknowledge' ? facts.acknowledged_by : null },
  }));
  if (transitions.length > 0) await queueNotifications(ctx, transitions, options);
}
