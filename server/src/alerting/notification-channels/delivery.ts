// What waits in the outbox goes out: woken by a hint, looking by itself every two seconds, or every ten while nothing waits. Guards: so
// many deliveries at a time and one for each channel, so that a slow peer holds up no other; several processes share the work; a stop
// lets what is under way come to its end, or leaves it to be sent again; what a blackout holds back does not get old.

import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { listenForHints } from '../../kernel/hints.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import type { Secret } from '../../kernel/secret.ts';
import { iso } from '../../kernel/times.ts';
import { queueReminders } from '../alerts/outbox.service.ts';
import { blackoutsInForce } from '../blackouts/in-force.service.ts';
import { giveUp } from './dead-letters.service.ts';
import * as queries from './delivery.queries.ts';
import {
  type Claimed,
  claimDelivery,
  type DeliveryCtx,
  type DeliveryDeps,
  deliver,
} from './delivery.service.ts';
import { holdText, type QueueState, queueState } from './holds.service.ts';

const EVERY_MS = 2000;
/** Times as long while nothing waits and hints come: a hint that is lost holds up a message for ten seconds. */
const IDLE_TIMES = 5;
const MOST_AT_ONCE = 16;
const REMINDERS_MS = 60_000;
const PRUNE_MS = 3_600_000;
/** What is under way when the program stops gets so long. */
const LEAVE_MS = EVERY_MS + 500;

export interface DeliveryOptions extends DeliveryDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

/** What blackouts hold back of what waits; undefined when nothing waits. */
async function heldBack(ctx: DeliveryCtx): Promise<queries.Held[] | undefined> {
  const waiting = await queries.listWaiting(ctx.db);
  if (waiting.length === 0) return undefined;
  const inForce = await blackoutsInForce(ctx.db, ctx.clock.now());
  return waiting.flatMap(({ connection_id, database_name }) =>
    connection_id !== null && inForce.covers(connection_id, database_name)
      ? [{ connection_id, database_name }]
      : [],
  );
}

async function expire(ctx: DeliveryCtx, which: 'fires' | 'all'): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const over = await queries.expire(db, iso(ctx.clock.now()), which);
    if (over.length > 0) await giveUp({ ...ctx, db }, over);
  });
}

/**
 * Before each look for what is due: what was lost comes back, and what needs not be sent goes. Answers what is held back;
 * undefined when there is nothing to send.
 */
async function tidy(ctx: DeliveryCtx): Promise<queries.Held[] | undefined> {
  const now = iso(ctx.clock.now());
  const held = await heldBack(ctx);
  if (!held) return undefined;
  await queries.recoverLost(ctx.db, now);
  if (held.length > 0) {
    await queries.keepHeld(ctx.db, { now, held });
    await queries.skipQuiet(ctx.db, { now, held });
  }
  await expire(ctx, 'fires');
  await queries.skipUnfounded(ctx.db, now);
  await expire(ctx, 'all');
  return held;
}

/** The state of one process that delivers. */
export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  readonly #running = new Set<Promise<void>>();
  #remindersAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DeliveryOptions, signal: AbortSignal, onEnd: () => void = () => undefined) {
    this.#options = options;
    this.#signal = signal;
    this.#onEnd = onEnd;
  }

  get #ctx(): DeliveryCtx {
    const { db, clock, log } = this.#options;
    return { db, clock, log, signal: this.#signal };
  }

  /** Answers whether anything waits, and whether it is held back. */
  async roundUnlessHeld(db = this.#options.db): Promise<QueueState> {
    const state = await queueState(db);
    const isRound = state.is_waiting || this.#isDue(this.#remindersAt, REMINDERS_MS);
    if (!state.hold && isRound) await this.round(db);
    return state;
  }

  /** Starts what is due and has room, as `db` claims it; answers how many messages. */
  async round(db = this.#options.db): Promise<number> {
    const ctx = { ...this.#ctx, db };
    await this.#nowAndThen(ctx);
    const held = await tidy(ctx);
    if (!held) return 0;
    let started = 0;
    while (!this.#signal.aborted && this.#running.size < MOST_AT_ONCE) {
      const claimed = await claimDelivery(ctx, this.#options, held);
      if (!claimed) break;
      started += 1;
      this.#start(this.#ctx, claimed);
    }
    return started;
  }

  #isDue(last: number, every: number): boolean {
    return Math.abs(this.#options.clock.now() - last) >= every;
  }

  async #nowAndThen(ctx: DeliveryCtx): Promise<void> {
    const now = ctx.clock.now();
    if (this.#isDue(this.#remindersAt, REMINDERS_MS)) {
      await queueReminders(ctx, this.#options);
      this.#remindersAt = now;
    }
    if (!this.#isDue(this.#prunedAt, PRUNE_MS)) return;
    await queries.prune(ctx.db, iso(now));
    this.#prunedAt = now;
  }

  #start(ctx: DeliveryCtx, claimed: Claimed): void {
    const task = deliver(ctx, this.#options, claimed)
      .then(
        () => undefined,
        (error: unknown) => ctx.log.warn({ event: 'notifications.not_written', err: error }),
      )
      .finally(() => {
        this.#running.delete(task);
        this.#onEnd();
      });
    this.#running.add(task);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

export interface StartDeliveryOptions extends DeliveryOptions {
  /** The datastore, for hints. */
  url: Secret;
  /** Two seconds when absent. */
  everyMs?: number;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

export function startDelivery(options: StartDeliveryOptions): Part {
  const { log, url, everyMs = EVERY_MS, parts = NOT_NOTED } = options;
  const cutting = new AbortController();
  let hasFailed = false;
  // After a failure nothing shortens the pause.
  const poke = () => {
    if (!hasFailed) rounds.wake();
  };
  const deliveries = new Deliveries(options, cutting.signal, poke);
  const hints = listenForHints({ url, channels: ['matriarch_notifications'], onHint: poke });
  const isIdle = (state: QueueState | undefined) =>
    state && !state.hold && !state.is_waiting && hints.isListening;
  const rounds = startRounds<QueueState>({
    name: 'delivery',
    pauseMs: (state) => (isIdle(state) ? IDLE_TIMES * everyMs : everyMs),
    noted: {
      part: 'delivery',
      parts,
      note: ({ hold }) =>
        hold ? parts.failed('delivery', new Fault('unavailable', holdText(hold))) : parts.ran('delivery'),
    },
    onFailure: (error) => {
      hasFailed = true;
      log.warn({ event: 'notifications.round_failed', err: error });
    },
    begin: (signal) => {
      // What was begun is written down; a round is broken off.
      const db = until(options.db, () => signal);
      const round = () => {
        hasFailed = false;
        return deliveries.roundUnlessHeld(db);
      };
      return { round };
    },
  });
  return {
    name: 'delivery',
    stop: async () => {
      const cut = setTimeout(() => cutting.abort(), LEAVE_MS);
      await Promise.all([rounds.stop(), hints.stop(), deliveries.settled()]);
      clearTimeout(cut);
    },
  };
}
