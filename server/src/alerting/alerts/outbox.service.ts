// The outbox: whoever changes an alert puts into it, in the same transaction, what is to be told, so that neither exists
// without the other. Guards: each transition is told once by each channel, and what follows an alert only where it was told; an alert
// that follows from another one is not sent; a message has the facts of that moment.

import type { Ctx } from '../../identity/identity.ts';
import { channels } from '../channels/catalog.gen.ts';
import type { Channel } from '../channels/types.ts';
import { rules } from '../rules/catalog.gen.ts';
import type { Rule } from '../rules/types.ts';
import * as queries from './outbox.queries.ts';

export { notifyQueued, type Transition } from './outbox.queries.ts';

/** Seconds that alerts of one cluster wait for each other; the setting channels.group_seconds. */
const USUAL_GROUP_SECONDS = 30;

const all: readonly Channel<(typeof channels)[number]['name']>[] = channels;
const lone = all.filter(({ groups }) => !groups).map(({ name }) => name);
const acknowledging = all.filter(({ acknowledges }) => acknowledges).map(({ name }) => name);

const of_known_cause = rules.flatMap(({ namesBlocker, metric }: Rule) => (namesBlocker ? [metric] : []));

export interface QueueOptions {
  /** As it is set when absent. */
  group_seconds?: number | undefined;
}

type QueueCtx = Pick<Ctx, 'db' | 'clock'>;

const isoNow = ({ clock }: QueueCtx) => new Date(clock.now()).toISOString();

/**
 * Queues what is to be told of these transitions, in at most three statements for all of them. Call it inside the
 * transaction that makes them; the same transition again changes nothing.
 */
export async function queueNotifications(
  ctx: QueueCtx,
  transitions: readonly queries.Transition[],
  { group_seconds = USUAL_GROUP_SECONDS }: QueueOptions = {},
): Promise<void> {
  const fires = transitions.filter(({ kind }) => kind === 'fire');
  const following = transitions.filter(({ kind }) => kind !== 'fire');
  const queueing = { now: isoNow(ctx), group_seconds, lone, of_known_cause };
  let queued = 0;
  if (fires.length > 0) queued += await queries.queueFires(ctx.db, { ...queueing, transitions: fires });
  if (following.length > 0)
    queued += await queries.queueFollowing(ctx.db, { ...queueing, transitions: following }, acknowledging);
  if (queued > 0) await queries.notifyQueued(ctx.db);
}

/** Four statements at most, whatever the number of alerts. */
export async function queueAlertNotifications(
  ctx: QueueCtx,
  {
    kind,
    ids,
    from_channel,
  }: { kind: queries.NotifiedChange; ids: readonly number[]; from_channel?: number },
  options: QueueOptions = {},
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await queries.findFacts(ctx.db, kind, ids);
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
  ctx: QueueCtx,
  { fired, cleared, worse = [], released = [] }: Written,
  options: QueueOptions,
): Promise<void> {
  const fires = [...fired, ...worse, ...released].map(({ id }) => id);
  await queueAlertNotifications(ctx, { kind: 'fire', ids: fires }, options);
  await queueAlertNotifications(ctx, { kind: 'clear', ids: cleared.map(({ id }) => id) }, options);
}

/** Reminders of active alerts, as each channel wants them; one statement. Answers how many. */
export function queueReminders(
  ctx: QueueCtx,
  { group_seconds = USUAL_GROUP_SECONDS }: QueueOptions,
): Promise<number> {
  return queries.queueReminders(ctx.db, { now: isoNow(ctx), group_seconds, lone, of_known_cause });
}
