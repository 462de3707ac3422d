// Notifications of alerts: put into the outbox in the transaction that changes the alerts. Guards: an alert that follows from
// another one is not sent; a message has the facts of that moment.
import type { Ctx } from '../../identity/identity.ts';
import { type QueueOptions, queueNotifications } from '../notification-channels/outbox.service.ts';
import { findFacts, type NotifiedChange } from './alert-facts.queries.ts';

/** Four statements at most, whatever the number of alerts. */
export async function queueAlertNotifications(
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

/** What a transaction changed of alerts. */
export interface Written {
  /** With those that were reopened. */
  fired: readonly { id: number }[];
  cleared: readonly { id: number }[];
  /** Alerts that are more severe than they were. */
  worse?: readonly { id: number }[];
  /** Alerts that follow from nothing any more: they were not sent before. */
  released?: readonly { id: number }[];
}

export async function queueChanges(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { fired, cleared, worse = [], released = [] }: Written,
  options: QueueOptions,
): Promise<void> {
  const fires = [...fired, ...worse, ...released].map(({ id }) => id);
  await queueAlertNotifications(ctx, { kind: 'fire', ids: fires }, options);
  await queueAlertNotifications(ctx, { kind: 'clear', ids: cleared.map(({ id }) => id) }, options);
}
