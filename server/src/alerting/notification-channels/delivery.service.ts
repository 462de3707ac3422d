// Delivering: claim what is due, send it, write what came of it. Guards: a claim is by one process, order is kept for each
// alert and channel, nothing is lost when whoever sends dies (its lease runs out), and only then may it arrive twice.

import { sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import { DeliveryError } from '../channels/types.ts';
import { openChannel } from './channel-test.service.ts';
import { giveUp } from './dead-letters.service.ts';
import * as queries from './delivery.queries.ts';
import {
  type Claimed,
  type DeliveryCtx,
  type DeliveryDeps,
  GROUPED,
  groupedKinds,
  keyOf,
  messageOf,
  type WrittenReport,
} from './delivery-messages.ts';
import { retryDelayMs } from './retry.ts';

export type {
  Claimed,
  DeliveryCtx,
  DeliveryDeps,
  ReportRequest,
  WrittenReport,
} from './delivery-messages.ts';

/** Longer than any delivery with its writing. */
const LEASE_MS = 30_000;
/** Nothing is sent with less of the lease left: somebody else might have it before the answer is there. */
const SEND_WITHIN_MS = 15_000;
const MOST_ALERTS = 100;
const WRITE_TRIES = 3;
const WRITE_AGAIN_MS = 500;
/** Times the seconds of grouping: a channel that groups sends one message within so long on average, so that no noise makes a storm. */
const PACE = 2;

/**
 * When the channel may send its next message after one that has arrived; null: at once. After a quiet minute a second message may
 * follow the first at once, so that a new incident does not wait behind an older one.
 */
function nextAt(ctx: DeliveryCtx, channel: queries.ClaimedChannel, deps: DeliveryDeps): string | null {
  const isPaced = groupedKinds(channel, deps).length === GROUPED.length;
  if (!isPaced) return null;
  const before = channel.retry_at === null ? Number.NEGATIVE_INFINITY : Date.parse(channel.retry_at);
  return iso(Math.max(ctx.clock.now(), before + PACE * deps.group_seconds * 1000));
}

/** The next message of some channel; undefined when there is none to send now. */
export async function claimDelivery(
  ctx: DeliveryCtx,
  deps: DeliveryDeps,
  held: readonly queries.Held[],
): Promise<Claimed | undefined> {
  const since = ctx.clock.monotonic();
  const at = ctx.clock.now();
  const now = iso(at);
  return ctx.db.transaction(async (db) => {
    const channel = await queries.claimChannel(db, { now, held });
    if (!channel) return undefined;
    const [first, ...others] = await queries.claimMessage(db, {
      now,
      held,
      channel_id: channel.id,
      grouped: groupedKinds(channel, deps),
      most: MOST_ALERTS,
      lease_until: iso(at + LEASE_MS),
    });
    return first && { channel, rows: [first, ...others], since };
  });
}

/**
 * A datastore that is away for a while must not make a message go out twice: it is tried as long as nobody else may have the
 * message, and a few times when the program stops.
 */
async function write(ctx: DeliveryCtx, since: number, work: (db: Db) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ctx.db.transaction(work);
    } catch (error) {
      const isOver = ctx.signal.aborted || ctx.clock.monotonic() - since >= LEASE_MS;
      if (tries >= WRITE_TRIES && isOver) throw error;
      await sleep(WRITE_AGAIN_MS * Math.min(tries, WRITE_TRIES));
    }
  }
}

type Outcome = 'delivered' | 'failed' | 'interrupted';

interface Ending {
  claimed: Claimed;
  outcome: Outcome;
  reply: string;
}

function endOf({ rows }: Claimed, now: string, reply: string): queries.End {
  const [first] = rows;
  const attempt = rows.reduce((most, { attempts }) => Math.max(most, attempts), 0);
  return { ids: rows.map(({ id }) => id), message_id: first.message_id, attempt, now, reply };
}

async function noteSuccess(
  ctx: DeliveryCtx,
  { claimed, reply, outcome }: Ending,
  deps: DeliveryDeps,
): Promise<void> {
  await write(ctx, claimed.since, async (db) => {
    const end = endOf(claimed, iso(ctx.clock.now()), reply);
    await queries.markSent(db, end);
    await queries.noteAttempt(db, end, outcome);
    const { channel } = claimed;
    await queries.noteChannel(db, { id: channel.id, failures: 0, retry_at: nextAt(ctx, channel, deps) });
  });
}

/** Nothing was sent, and the other side has no part in it. */
async function noteSkipped(ctx: DeliveryCtx, { claimed, reply, outcome }: Ending): Promise<void> {
  await write(ctx, claimed.since, async (db) => {
    const end = endOf(claimed, iso(ctx.clock.now()), reply);
    await queries.markSkipped(db, end);
    await queries.noteAttempt(db, end, outcome);
  });
}

/** Back into the queue at once: nobody knows whether it arrived. */
async function noteInterrupted(ctx: DeliveryCtx, { claimed, reply, outcome }: Ending): Promise<void> {
  await write(ctx, claimed.since, async (db) => {
    const now = iso(ctx.clock.now());
    const end = endOf(claimed, now, reply);
    await queries.markFailed(db, { ...end, due_at: now });
    await queries.noteAttempt(db, end, outcome);
  });
}

/** The fault of the other side as a whole makes all that goes there wait; that of one message only that one. */
async function noteFailure(
  ctx: DeliveryCtx,
  { claimed, reply, outcome }: Ending,
  { error, deps }: { error: DeliveryError; deps: DeliveryDeps },
): Promise<void> {
  await write(ctx, claimed.since, async (db) => {
    const at = ctx.clock.now();
    const { channel } = claimed;
    const end = endOf(claimed, iso(at), reply);
    const isOfChannel = error.extent === 'channel';
    const failures = isOfChannel ? channel.failures + 1 : end.attempt;
    const { retry_after_ms } = error;
    const retry_at = iso(at + retryDelayMs({ failures, retry_after_ms, random: deps.random() }));
    const left = await queries.markFailed(db, { ...end, due_at: isOfChannel ? iso(at) : retry_at });
    await queries.noteAttempt(db, end, outcome);
    if (isOfChannel) await queries.noteChannel(db, { id: channel.id, failures, retry_at });
    await giveUp(
      { ...ctx, db },
      left.filter(({ state }) => state === 'dead').map(({ id }) => id),
    );
  });
}

function asDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  // Such as a secret that does not open: entering it again mends it.
  if (error instanceof Fault) return new DeliveryError(error.message);
  return new DeliveryError('The message could not be put together.', { extent: 'message' });
}

interface Sent {
  /** Undefined: it was left to whoever has it by now. */
  reply: string | undefined;
  isSkipped?: boolean;
}

async function writeReport(
  ctx: DeliveryCtx,
  deps: DeliveryDeps,
  row: queries.ClaimedRow,
): Promise<WrittenReport> {
  const { report_schedule_id: schedule_id, tick } = row;
  if (!deps.writeReport || schedule_id === null || tick === null)
    throw new DeliveryError('This process writes no reports.', { extent: 'message' });
  return deps.writeReport(ctx, { schedule_id, tick, key: keyOf(row), base_url: deps.base_url });
}

async function send(ctx: DeliveryCtx, deps: DeliveryDeps, claimed: Claimed): Promise<Sent> {
  const { channel, rows } = claimed;
  const [{ kind }] = rows;
  const report = kind === 'report' ? await writeReport(ctx, deps, rows[0]) : undefined;
  if (report?.skip !== undefined) return { reply: report.skip, isSkipped: true };
  const call = await openChannel({ db: ctx.db, vault: deps.vault }, channel);
  // Whoever froze since it was claimed leaves it to whoever has it by now, which may have sent what follows it as well.
  if (ctx.clock.monotonic() - claimed.since > SEND_WITHIN_MS) return { reply: undefined };
  const { sender, base_url } = deps;
  const { signal } = ctx;
  if (report)
    return { reply: await sender.sendMail(channel.channel_type, { ...call, mail: report.mail }, { signal }) };
  if (kind === 'report') return { reply: undefined };
  const message = messageOf(claimed, { kind, timestamp: iso(ctx.clock.now()), base_url });
  return { reply: await sender.send(channel.channel_type, { ...call, message }, { signal }) };
}

/** Sends what was claimed and writes what came of it; nothing of what has been claimed for too long. Rejects only when the datastore stays away: the lease runs out then. */
export async function deliver(
  ctx: DeliveryCtx,
  deps: DeliveryDeps,
  claimed: Claimed,
): Promise<Outcome | 'skipped'> {
  const { channel, rows } = claimed;
  const told = {
    channel_id: channel.id,
    notification_ids: rows.map(({ id }) => id),
    attempt: rows[0].attempts,
  };
  let sent: Sent;
  try {
    sent = await send(ctx, deps, claimed);
  } catch (cause) {
    if (ctx.signal.aborted) {
      await noteInterrupted(ctx, {
        claimed,
        reply: 'Matriarch was stopped meanwhile.',
        outcome: 'interrupted',
      });
      return 'interrupted';
    }
    if (cause instanceof Fault && cause.code === 'unavailable') throw cause;
    const error = asDeliveryError(cause);
    await noteFailure(ctx, { claimed, reply: error.message, outcome: 'failed' }, { error, deps });
    ctx.log.warn({ event: 'notifications.failed', ...told, reason: error.message });
    return 'failed';
  }
  const { reply, isSkipped = false } = sent;
  if (reply === undefined) {
    ctx.log.warn({ event: 'notifications.left', ...told });
    return 'interrupted';
  }
  if (isSkipped) {
    await noteSkipped(ctx, { claimed, reply, outcome: 'failed' });
    ctx.log.warn({ event: 'notifications.skipped', ...told, reason: reply });
    return 'skipped';
  }
  await noteSuccess(ctx, { claimed, reply, outcome: 'delivered' }, deps);
  ctx.log.info({ event: 'notifications.delivered', ...told });
  return 'delivered';
}
