// The outbox: whoever changes an alert puts into it, in the same transaction, what is to be told, so that neither exists
// without the other. Guards: each transition is told once by each channel, and what follows an alert only where it was told.

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

/** Reminders of active alerts, as each channel wants them; one statement. Answers how many. */
export function queueReminders(
  ctx: QueueCtx,
  { group_seconds = USUAL_GROUP_SECONDS }: QueueOptions,
): Promise<number> {
  return queries.queueReminders(ctx.db, { now: isoNow(ctx), group_seconds, lone, of_known_cause });
}
