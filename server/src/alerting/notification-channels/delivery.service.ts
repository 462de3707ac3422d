// Delivering: claim what is due, put it into a message, send it, write what came of it. Guards: a claim is by one process, order is kept
// for each alert and channel, nothing is lost when whoever sends dies (its lease runs out), and only then may it arrive twice; a message
// keeps its key at each try, and where one alert fills a message there is no room for another.

import type { Ctx } from '../../identity/identity.ts';
import { sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import type { AlertFacts, Message, NotificationKind } from '../channels/alert-facts.ts';
import { DeliveryError, type Mail } from '../channels/types.ts';
import { channelNamed } from './channel-config.ts';
import { openChannel } from './channel-secrets.ts';
import { giveUp } from './dead-letters.service.ts';
import * as queries from './delivery.queries.ts';
import type { ChannelsDeps } from './notification-channels.service.ts';
import { retryDelayMs } from './retry.ts';

/** Longer than any delivery with its writing. */
const LEASE_MS = 30_000;
/** Nothing is sent with less of the lease left: somebody else might have it before the answer is there. */
const SEND_WITHIN_MS = 15_000;
const MOST_ALERTS = 100;
const WRITE_TRIES = 3;
const WRITE_AGAIN_MS = 500;
/** Times the seconds of grouping: a channel that groups sends one message within so long on average, so that no noise makes a storm. */
const PACE = 2;

export type DeliveryCtx = Pick<Ctx, 'db' | 'clock' | 'log' | 'signal'>;

export interface DeliveryDeps extends Pick<ChannelsDeps, 'vault' | 'sender' | 'base_url'> {
  /** 0: each alert alone. */
  group_seconds: number;
  /** From 0 to 1, for the spread of retries. */
  random(): number;
  /** Puts a report together as its owner may see it now. */
  writeReport?: ((ctx: DeliveryCtx, asked: ReportRequest) => Promise<WrittenReport>) | undefined;
}

export interface ReportRequest {
  schedule_id: number;
  /** Which of its times. */
  tick: string;
  key: string;
  base_url: string | undefined;
}

/** The mail, or why there is none to send. */
export type WrittenReport = { mail: Mail; skip?: undefined } | { mail?: undefined; skip: string };

export interface Claimed {
  channel: queries.ClaimedChannel;
  rows: readonly [queries.ClaimedRow, ...queries.ClaimedRow[]];
  /** When it was claimed, by the clock that only grows. */
  since: number;
}

const TEMPLATES = {
  fire: 'template_alert_fire',
  clear: 'template_alert_clear',
  reminder: 'template_reminder',
} as const;

const hasTemplate = (kind: queries.DeliveredKind): kind is keyof typeof TEMPLATES =>
  Object.hasOwn(TEMPLATES, kind);

const templateOf = (channel: queries.ClaimedChannel, kind: NotificationKind): string | undefined =>
  hasTemplate(kind) ? (channel[TEMPLATES[kind]] ?? undefined) : undefined;

const GROUPED = ['fire', 'clear', 'reminder'] as const;

/** Where one alert fills a message, there is no room for another. */
function groupedKinds(channel: queries.ClaimedChannel, { group_seconds }: DeliveryDeps): NotificationKind[] {
  if (group_seconds === 0 || !channelNamed(channel.channel_type).groups) return [];
  return GROUPED.filter((kind) => templateOf(channel, kind) === undefined);
}

/** The same at each try, and another when somebody has it sent again. */
const keyOf = ({ message_id, resends }: queries.ClaimedRow) =>
  resends === 0 ? message_id : `${message_id}-${resends}`;

function messageOf(
  { channel, rows }: Claimed,
  { kind, timestamp, base_url }: Pick<Message, 'kind' | 'timestamp' | 'base_url'>,
): Message {
  const [first, ...others] = rows;
  const alerts: [AlertFacts, ...AlertFacts[]] = [first.facts, ...others.map(({ facts }) => facts)];
  const template = templateOf(channel, kind);
  return {
    kind,
    key: keyOf(first),
    timestamp,
    alerts,
    ...(template !== undefined && { template }),
    ...(base_url !== undefined && { base_url }),
  };
}

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

/** Writes what came of a message; `mark` writes what that means for what is in it. */
async function note(
  ctx: DeliveryCtx,
  { claimed: { rows, since }, reply, outcome }: Ending,
  mark: (db: Db, end: queries.End) => Promise<unknown>,
): Promise<void> {
  const attempt = rows.reduce((most, { attempts }) => Math.max(most, attempts), 0);
  await write(ctx, since, async (db) => {
    const now = iso(ctx.clock.now());
    const end = { ids: rows.map(({ id }) => id), message_id: rows[0].message_id, attempt, now, reply };
    await mark(db, end);
    await queries.noteAttempt(db, end, outcome);
  });
}

/** The fault of the other side as a whole makes all that goes there wait; that of one message only that one. */
function noteFailure(
  ctx: DeliveryCtx,
  claimed: Claimed,
  { error, deps }: { error: DeliveryError; deps: DeliveryDeps },
): Promise<void> {
  const { id, failures: before } = claimed.channel;
  const { retry_after_ms } = error;
  const isOfChannel = error.extent === 'channel';
  return note(ctx, { claimed, reply: error.message, outcome: 'failed' }, async (db, end) => {
    const failures = isOfChannel ? before + 1 : end.attempt;
    const delay = retryDelayMs({ failures, retry_after_ms, random: deps.random() });
    const retry_at = iso(Date.parse(end.now) + delay);
    const ended = await queries.markFailed(db, { ...end, due_at: isOfChannel ? end.now : retry_at });
    if (isOfChannel) await queries.noteChannel(db, { id, failures, retry_at });
    await giveUp({ ...ctx, db }, ended);
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
  const call = await openChannel(ctx.db, deps.vault, channel);
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
      const reply = 'Matriarch was stopped meanwhile.';
      // Back into the queue at once: nobody knows whether it arrived.
      await note(ctx, { claimed, reply, outcome: 'interrupted' }, (db, end) =>
        queries.markFailed(db, { ...end, due_at: end.now }),
      );
      return 'interrupted';
    }
    if (cause instanceof Fault && cause.code === 'unavailable') throw cause;
    const error = asDeliveryError(cause);
    await noteFailure(ctx, claimed, { error, deps });
    ctx.log.warn({ event: 'notifications.failed', ...told, reason: error.message });
    return 'failed';
  }
  const { reply, isSkipped = false } = sent;
  if (reply === undefined) {
    ctx.log.warn({ event: 'notifications.left', ...told });
    return 'interrupted';
  }
  if (isSkipped) {
    await note(ctx, { claimed, reply, outcome: 'failed' }, (db, end) =>
      queries.markEnded(db, end, 'skipped'),
    );
    ctx.log.warn({ event: 'notifications.skipped', ...told, reason: reply });
    return 'skipped';
  }
  await note(ctx, { claimed, reply, outcome: 'delivered' }, async (db, end) => {
    await queries.markEnded(db, end, 'sent');
    await queries.noteChannel(db, { id: channel.id, failures: 0, retry_at: nextAt(ctx, channel, deps) });
  });
  ctx.log.info({ event: 'notifications.delivered', ...told });
  return 'delivered';
}
