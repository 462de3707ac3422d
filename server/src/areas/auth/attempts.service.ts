// Reserve, then verify: an attempt is written down under a lock before its password is looked at, so parallel
// guesses cannot all see the same old count. The locks live in the datastore and hold across processes.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AuditCtx } from '../audit/audit.service.ts';
import * as queries from './attempts.queries.ts';
import {
  type AttemptHistory,
  accountKey,
  DEFAULT_LIMITS,
  type LoginLimits,
  networkOf,
  secondsToWait,
} from './login-limits.ts';
import { loginQueue } from './login-queue.ts';
import { utc } from './tokens.ts';

/** What this room needs of a context; also there while nobody is signed in. */
export interface AuthCtx {
  db: Db;
  clock: Clock;
  log: Log;
  origin?: AuditCtx['origin'];
}

export interface Attempt {
  address: string;
  /** Undefined for attempts that name no account. */
  username: string | undefined;
}

export interface Reservation {
  ids: readonly number[];
  account: string;
}

export interface LoginAttempts {
  /** Counts the attempt as a failure in advance, or refuses it with 429. */
  reserve(ctx: AuthCtx, attempt: Attempt): Promise<Reservation>;
}

const NO_ACCOUNT = '';
/** Counting takes at most this many of the pool's connections, however many guess. */
const COUNTING_AT_ONCE = 2;
const COUNTING_WAITING = 1000;
const CLEAN_EVERY = 64;
const NETWORK_MEMORY_MS = 24 * 3_600_000;
const ACCOUNT_MEMORY_MS = 30 * NETWORK_MEMORY_MS;

const ms = (time: string | null) => (time === null ? undefined : Date.parse(time));

function inWords(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

interface Subjects {
  network: string;
  account: string;
}

async function readHistory(ctx: AuthCtx, subjects: Subjects, limits: LoginLimits): Promise<AttemptHistory> {
  const now = ctx.clock.now();
  const row = await ctx.db.one<queries.HistoryRow>(
    queries.attemptHistory({
      ...subjects,
      attempts: limits.attempts,
      attempts_since: utc(now - limits.attempts_within_ms),
      failures: limits.failures,
      failures_since: utc(now - limits.failures_within_ms),
    }),
  );
  return {
    limiting_attempt_at: ms(row.limiting_attempt_at),
    limiting_failure_at: ms(row.limiting_failure_at),
    account_failures: row.account_failures,
    account_last_failure_at: ms(row.account_last_failure_at),
  };
}

async function reserveLocked(ctx: AuthCtx, subjects: Subjects, limits: LoginLimits): Promise<number[]> {
  await ctx.db.run(queries.lockSubjects(subjects.network, subjects.account));
  const wait = secondsToWait(await readHistory(ctx, subjects, limits), limits, ctx.clock.now());
  if (wait > 0) {
    ctx.log.warn({ event: 'auth.attempt_refused', network: subjects.network, retry_after_seconds: wait });
    throw new Fault('too_many_requests', `Too many attempts to sign in. Try again in ${inWords(wait)}.`, {
      retryAfterSeconds: wait,
    });
  }
  const counted = subjects.account === NO_ACCOUNT ? [subjects.network] : [subjects.network, subjects.account];
  const rows = await ctx.db.rows<{ id: number }>(queries.insertAttempts(counted, utc(ctx.clock.now())));
  return rows.map((row) => row.id);
}

/** Forgets attempts that count for nothing any more. A part of any maintenance; harmless at any time. */
export async function cleanLoginAttempts({ db, clock }: AuthCtx): Promise<void> {
  const now = clock.now();
  await db.run(queries.cleanAttempts(utc(now - NETWORK_MEMORY_MS), utc(now - ACCOUNT_MEMORY_MS)));
}

export function createLoginAttempts(limits: LoginLimits = DEFAULT_LIMITS): LoginAttempts {
  const inTurn = loginQueue({ at_once: COUNTING_AT_ONCE, waiting: COUNTING_WAITING });
  return {
    reserve: (ctx, { address, username }) =>
      inTurn(async () => {
        const subjects = {
          network: networkOf(address),
          account: username === undefined ? NO_ACCOUNT : accountKey(username),
        };
        const ids = await ctx.db.transaction((db) => reserveLocked({ ...ctx, db }, subjects, limits));
        if (ids.some((id) => id % CLEAN_EVERY === 0))
          await cleanLoginAttempts(ctx).catch((err: unknown) =>
            ctx.log.warn({ event: 'auth.clean_failed', err }),
          );
        return { ids, account: subjects.account };
      }),
  };
}

/** The attempt was right: no failure any more, and the account's count starts anew. */
export async function forgive(db: Db, { ids, account }: Reservation): Promise<void> {
  await db.run(queries.forgiveAttempts(ids));
  if (account !== NO_ACCOUNT) await db.run(queries.clearAccount(account));
}

/** The attempt never happened: it could not be looked at because of a fault of ours. */
export async function takeBack(ctx: AuthCtx, { ids }: Reservation): Promise<void> {
  await ctx.db
    .run(queries.deleteAttempts(ids))
    .catch((err: unknown) => ctx.log.warn({ event: 'auth.take_back_failed', err }));
}

/** Lets an account try again at once, after its password was set by somebody who may. */
export async function clearAccountFailures(db: Db, username: string): Promise<void> {
  await db.run(queries.clearAccount(accountKey(username)));
}
