// The alerter in the background: one process at a time judges what is new, every few seconds and at once on a hint. A look that finds
// nothing new judges nothing, but for a whole round every ten seconds. Guards: a lease with an epoch that every writing checks, so that
// one that froze writes nothing when it wakes; one that died is replaced within a second (alerter-lock.ts); a datastore that is away
// stops nothing.

import { randomUUID } from 'node:crypto';
import { type Ctx, systemPrincipal } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import { refusalOf } from '../../kernel/datastore-errors.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { listenForHints } from '../../kernel/hints.ts';
import { claimJob, type JobRow, leaveJob, noteJob, readJob, renewJob } from '../../kernel/jobs.queries.ts';
import { lasting, until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import type { Secret } from '../../kernel/secret.ts';
import { shownNames } from '../../kernel/shown-value.ts';
import { partly } from '../../store/read/doors/runs.ts';
import type { QueueOptions } from '../alerts/outbox.service.ts';
import { blackoutsInForce } from '../blackouts/in-force.service.ts';
import { type AlerterLock, openAlerterLock } from './alerter-lock.ts';
import { BaselineKeeper } from './baseline-keeper.ts';
import { forgetOldAlerts, type Lease } from './changes.ts';
import { evaluate, PROBES, type RoundReport } from './evaluate.ts';
import { Memory, type Progress, progressIn } from './memory.ts';
import { type Poll, pollForRuns } from './runs.queries.ts';

export const ALERTER_JOB = 'alerter';
const EVERY_MS = 3000;
const LEASE_SECONDS = 10;
/** What no look can see, such as a connection that is not monitored any more, is judged by then. */
const WHOLE_MS = 10_000;
const FORGET_MS = 3_600_000;
/** Somebody changed a connection, or what it is in. */
const CHANNELS = ['matriarch_connections'];

export interface AlerterOptions extends QueueOptions {
  db: Db;
  log: Log;
  clock: Clock;
  /** The datastore, for hints. */
  url: Secret;
  /** Three seconds when absent. */
  everyMs?: number;
  /** The collector of this process: whose lease it has is free at once when that dies. */
  owner?: string;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

const MOST_NAMED = 5;

function notRead(names: readonly string[]): string {
  return `What these judge cannot be read: ${shownNames(names, MOST_NAMED)}. All others are judged.`;
}

class Alerter {
  readonly #options: AlerterOptions;
  readonly #owner: string;
  readonly #signal: AbortSignal;
  readonly #lock: AlerterLock;
  #memory = new Memory();
  #epoch: number | undefined;
  /** The datastore's time at the newest look. */
  #now: number | undefined;
  /** When all was judged last; what changed something is followed by another whole round. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  #mark = '';
  readonly #baselines = new BaselineKeeper();
  #forgottenAt = Number.NEGATIVE_INFINITY;

  constructor(options: AlerterOptions, { signal, lock }: { signal: AbortSignal; lock: AlerterLock }) {
    this.#options = options;
    this.#lock = lock;
    this.#owner = options.owner ?? randomUUID();
    this.#signal = signal;
  }

  /** Takes or keeps the lease; answers what is new, by the datastore's time. */
  async #look(): Promise<(Poll & { epoch: number }) | undefined> {
    const { db } = this.#options;
    if (this.#epoch === undefined) {
      this.#epoch = await this.#claim();
      if (this.#epoch === undefined) return undefined;
      this.#memory = new Memory(await this.#progress());
      this.#now = undefined;
      this.#wholeAt = Number.NEGATIVE_INFINITY;
    }
    const epoch = this.#epoch;
    const lease = { name: ALERTER_JOB, epoch, lease_seconds: LEASE_SECONDS };
    this.#now ??= (await db.maybe<{ now: number }>(renewJob(ALERTER_JOB, epoch, LEASE_SECONDS)))?.now;
    const from = this.#memory.lookFrom(this.#now ?? 0);
    const seen = this.#now === undefined ? undefined : await pollForRuns(db, { lease, probes: PROBES, from });
    this.#now = seen?.now;
    if (!seen) {
      this.#epoch = undefined;
      this.#lock.release();
    }
    return seen && { ...seen, epoch };
  }

  #isDue({ now, runs, mark }: Poll, isHinted: boolean): boolean {
    const ago = now - this.#wholeAt;
    return isHinted || ago < 0 || ago >= WHOLE_MS || mark !== this.#mark || this.#memory.isDue(runs, now);
  }

  /** At once with the lock, and otherwise when the lease of the process that has it ends. */
  async #claim(): Promise<number | undefined> {
    const { isHeld } = this.#lock;
    const job = { name: ALERTER_JOB, owner: this.#owner, every_seconds: 0, lease_seconds: LEASE_SECONDS };
    const claim = claimJob({ ...job, is_free: isHeld });
    const claimed = isHeld
      ? await this.#lock.claim<{ epoch: number }>(claim)
      : await this.#options.db.maybe<{ epoch: number }>(claim);
    return claimed?.epoch;
  }

  /** Where whoever had the lease before was. */
  async #progress(): Promise<Progress | undefined> {
    return progressIn((await this.#options.db.maybe<JobRow>(readJob(ALERTER_JOB)))?.report);
  }

  async #forget(): Promise<void> {
    const { db, clock } = this.#options;
    if (clock.monotonic() - this.#forgottenAt < FORGET_MS) return;
    this.#forgottenAt = clock.monotonic();
    await forgetOldAlerts(db);
  }

  /** A hint says that something changed which a look does not see. */
  async round(isHinted: boolean): Promise<void> {
    const { db, log } = this.#options;
    const seen = await this.#look();
    if (!seen) return;
    const lease = { name: ALERTER_JOB, epoch: seen.epoch };
    const report = this.#isDue(seen, isHinted) ? await this.#judge(seen, lease) : undefined;
    await this.#baselines.keep({ db, log, lease, now: seen.now });
    await this.#forget();
    if (!report) return;
    if (report.unread.length > 0) throw new Fault('unavailable', notRead(report.unread));
    if (report.silent > 0) throw new Fault('unavailable', partly(report.silent));
  }

  async #judge({ now, runs, mark }: Poll, lease: Lease): Promise<RoundReport> {
    const { db, log, clock, group_seconds } = this.#options;
    const ctx: Ctx = {
      ...{ db, log, clock },
      signal: this.#signal,
      principal: systemPrincipal('server'),
    };
    // Until this one has ended well, the next is a whole round.
    this.#wholeAt = Number.NEGATIVE_INFINITY;
    const report = await evaluate(ctx, {
      ...{ memory: this.#memory, lease, now, runs, group_seconds },
      blackouts: await blackoutsInForce(db, clock.now()),
    });
    this.#mark = mark;
    if (report.written === undefined) this.#wholeAt = now;
    const { rules, readings, fired, cleared } = report;
    if (fired + cleared > 0) log.info({ event: 'alerter.changed', rules, readings, fired, cleared });
    const noted = this.#memory.progressAt(now);
    if (noted) await db.run(noteJob(ALERTER_JOB, lease.epoch, noted));
    return report;
  }

  async leave(): Promise<void> {
    if (this.#epoch === undefined) return;
    await lasting(this.#options.db)
      .run(leaveJob(ALERTER_JOB, this.#epoch))
      .catch(() => undefined);
  }
}

export function startAlerter(options: AlerterOptions): Part {
  const { log, url, everyMs = EVERY_MS, parts = NOT_NOTED } = options;
  let hinted = true;
  const poke = () => {
    hinted = true;
    rounds.wake();
  };
  const hints = listenForHints({ url, channels: CHANNELS, onHint: poke });
  const lock = openAlerterLock({ url, log, onTaken: poke });
  const rounds = startRounds({
    name: 'alerter',
    pauseMs: everyMs,
    noted: { part: 'alerter', parts },
    onFailure: (error) => log.warn({ event: 'alerter.failed', err: error, refusal: refusalOf(error) }),
    begin: (signal) => {
      // A round that is under way at the end is broken off: its writing is one transaction.
      const alerter = new Alerter({ ...options, db: until(options.db, () => signal) }, { signal, lock });
      const round = () => {
        const isHinted = hinted;
        hinted = false;
        return alerter.round(isHinted);
      };
      return { round, end: () => alerter.leave() };
    },
  });
  return {
    name: 'alerter',
    stop: async () => {
      await Promise.all([rounds.stop(), hints.stop()]);
      await lock.stop();
    },
  };
}
