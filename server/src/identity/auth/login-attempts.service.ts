// Reserve, then verify: an attempt is written down under a lock before its password is looked at, so parallel
// guesses cannot all see the same old count. The locks live in the datastore and hold across processes. Nobody can keep
// somebody else out: an address that an account signed in from lately is let through, one attempt at a time, whatever
// others tried from its network, for as long as its own attempts on that account leave it a budget.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AuditCtx } from '../audit/audit.service.ts';
import * as queries from './login-attempts.queries.ts';
import {
  ATTEMPTS_WITHIN_MS,
  accountKey,
  addressOf,
  FAILURES_WITHIN_MS,
  type LoginHistory,
  type LoginLimits,
  type Subjects,
  secondsToWait,
  secondsToWaitWhereKnown,
  subjectsOf,
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

export interface LoginAttempt {
  address: string;
  /** Undefined for attempts that name no account. */
  username: string | undefined;
}

export interface Reservation {
  ids: readonly number[];
  subjects: Subjects;
  /** True when no other attempt on the account is let through from this address until this one is settled. */
  is_alone: boolean;
}

export interface LoginAttempts {
  /** Counts the attempt as a failure in advance, or refuses it with 429. */
  reserve(ctx: AuthCtx, attempt: LoginAttempt): Promise<Reservation>;
}

/** Counting takes at most this many of the pool's connections, however many guess. */
const COUNTING_AT_ONCE = 2;
const COUNTING_WAITING = 1000;
const CLEAN_EVERY = 64;
const ADDRESS_MEMORY_MS = 24 * 3_600_000;
const ACCOUNT_MEMORY_MS = 30 * ADDRESS_MEMORY_MS;
/** For so long after signing in an address has a budget of its own on the account, of so many addresses at most. */
const KNOWN_MS = 30 * ADDRESS_MEMORY_MS;
const MOST_KNOWN_ADDRESSES = 100;
/** Far longer than a password is looked at; a process that died in the middle holds nobody up for longer. */
const PENDING_MS = 30_000;
const ASK_AGAIN_MS = 100;
const MOST_ASKS = 100;
/** Of an address without any budget a refusal a second is written down: more would change nothing. */
const REFUSAL_EVERY_MS = 1000;

const ms = (time: string | null) => (time === null ? undefined : Date.parse(time));

function inWords(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** One attempt and what it is measured by. */
interface Attempt {
  subjects: Subjects;
  username: string | undefined;
  limits: LoginLimits;
}

interface History extends LoginHistory {
  seconds: number;
  /** Undefined where the account never signed in from this address, or not lately. */
  seconds_where_known: number | undefined;
  is_pending: boolean;
  newest_at: number | undefined;
}

async function readHistory(ctx: AuthCtx, { subjects, username, limits }: Attempt): Promise<History> {
  const now = ctx.clock.now();
  const row = await ctx.db.one<queries.HistoryRow>(
    queries.attemptHistory({
      address: subjects.address,
      from_network: subjects.account?.from_network ?? '',
      from_address: subjects.account?.from_address ?? '',
      username: username?.replaceAll('\0', ' ') ?? '',
      attempts: limits.attempts,
      attempts_since: utc(now - ATTEMPTS_WITHIN_MS),
      failures: limits.failures,
      failures_since: utc(now - FAILURES_WITHIN_MS),
      known_since: utc(now - KNOWN_MS),
      now: utc(now),
    }),
  );
  const history = {
    limiting_attempt_at: ms(row.limiting_attempt_at),
    limiting_failure_at: ms(row.limiting_failure_at),
    account_failures: row.account_failures,
    account_last_failure_at: ms(row.account_last_failure_at),
  };
  const own = { limiting_attempt_at: ms(row.own_attempt_at), limiting_failure_at: ms(row.own_failure_at) };
  return {
    ...history,
    seconds: secondsToWait(history, limits, now),
    seconds_where_known: row.is_known ? secondsToWaitWhereKnown(own, now) : undefined,
    is_pending: row.is_pending,
    newest_at: ms(row.newest_at),
  };
}

type Verdict = { ids: number[]; is_alone: boolean } | { wait_seconds: number } | 'ask again';

async function insert(ctx: AuthCtx, { address, account }: Subjects, is_alone: boolean): Promise<number[]> {
  const now = ctx.clock.now();
  const attempts: queries.NewLoginAttempt[] = [{ address, account: null, pending_until: null }];
  if (account) {
    const { key, from_network, from_address } = account;
    attempts.push({ address: from_network, account: key, pending_until: null });
    const pending_until = is_alone ? utc(now + PENDING_MS) : null;
    attempts.push({ address: from_address, account: key, pending_until });
  }
  const rows = await ctx.db.rows<{ id: number }>(queries.insertAttempts(attempts, utc(now)));
  return rows.map(({ id }) => id);
}

/** A refusal costs the address a part of its budget, but the datastore no more rows than the limits look at. */
async function countRefusal(ctx: AuthCtx, asked: Attempt, history: History): Promise<number> {
  const now = ctx.clock.now();
  const { subjects, limits } = asked;
  const { limiting_attempt_at, limiting_failure_at, newest_at } = history;
  const isSpent = limiting_attempt_at !== undefined && limiting_failure_at !== undefined;
  if (isSpent && newest_at !== undefined && now - newest_at < REFUSAL_EVERY_MS) return secondsOf(history);
  await insert(ctx, { address: subjects.address }, false);
  await ctx.db.run(queries.trimAttempts(subjects.address, limits.attempts, limits.failures));
  return secondsOf(await readHistory(ctx, asked));
}

const secondsOf = ({ seconds, seconds_where_known }: History) =>
  Math.max(1, Math.min(seconds, seconds_where_known ?? Number.POSITIVE_INFINITY));

/** Inside a transaction; what it writes down of a refusal is to be committed. */
async function judge(ctx: AuthCtx, asked: Attempt): Promise<Verdict> {
  const { subjects } = asked;
  await ctx.db.run(queries.lockSubjects(subjects.address, subjects.account?.from_network ?? ''));
  const history = await readHistory(ctx, asked);
  if (history.seconds === 0) return { ids: await insert(ctx, subjects, false), is_alone: false };
  if (history.seconds_where_known !== 0) return { wait_seconds: await countRefusal(ctx, asked, history) };
  if (history.is_pending) return 'ask again';
  return { ids: await insert(ctx, subjects, true), is_alone: true };
}

function refused(ctx: AuthCtx, subjects: Subjects, seconds: number): Fault {
  ctx.log.warn({ event: 'auth.attempt_refused', address: subjects.address, retry_after_seconds: seconds });
  return new Fault('too_many_requests', `Too many attempts to sign in. Try again in ${inWords(seconds)}.`, {
    retryAfterSeconds: seconds,
  });
}

/** Forgets attempts that count for nothing any more. A part of any maintenance; harmless at any time. */
export async function cleanLoginAttempts({ db, clock }: AuthCtx): Promise<void> {
  const now = clock.now();
  await db.run(queries.cleanAttempts(utc(now - ADDRESS_MEMORY_MS), utc(now - ACCOUNT_MEMORY_MS)));
  await db.run(queries.cleanAddresses(utc(now - KNOWN_MS)));
}

export function createLoginAttempts(limits: LoginLimits): LoginAttempts {
  const queued = loginQueue({ at_once: COUNTING_AT_ONCE, waiting: COUNTING_WAITING });
  const reserve = async (ctx: AuthCtx, { address, username }: LoginAttempt): Promise<Reservation> => {
    const subjects = subjectsOf(address, username);
    for (let asks = 0; asks < MOST_ASKS; asks += 1) {
      const verdict = await queued(() =>
        ctx.db.transaction((db) => judge({ ...ctx, db }, { subjects, username, limits })),
      );
      if (verdict === 'ask again') await wait(ASK_AGAIN_MS);
      else if ('wait_seconds' in verdict) throw refused(ctx, subjects, verdict.wait_seconds);
      else return { ...verdict, subjects };
    }
    throw refused(ctx, subjects, 1);
  };
  return {
    async reserve(ctx, attempt) {
      const reservation = await reserve(ctx, attempt);
      if (reservation.ids.some((id) => id % CLEAN_EVERY === 0))
        await cleanLoginAttempts(ctx).catch((err: unknown) =>
          ctx.log.warn({ event: 'auth.clean_failed', err }),
        );
      return reservation;
    },
  };
}

/** The password of the attempt has been looked at: the next one from this address may be. */
export async function settle(ctx: AuthCtx, { ids, is_alone }: Reservation): Promise<void> {
  if (!is_alone) return;
  await ctx.db
    .run(queries.settleAttempts(ids))
    .catch((err: unknown) => ctx.log.warn({ event: 'auth.settle_failed', err }));
}

/** The attempt was right: no failure any more, and the counts of the account start anew where it came from. */
export async function forgive(db: Db, { ids, subjects: { account } }: Reservation): Promise<void> {
  await db.run(queries.forgiveAttempts(ids));
  if (!account) return;
  await db.run(queries.clearNetwork(account.from_network));
  await db.run(queries.forgiveAddress(account.from_address));
}

/** The attempt was neither right nor wrong, such as a right password without the code: it counts as an attempt alone. */
export async function noFailure(db: Db, { ids, subjects: { account } }: Reservation): Promise<void> {
  await db.run(queries.forgiveAttempts(ids));
  if (account) await db.run(queries.deleteOfNetwork(ids, account.from_network));
}

/** Somebody signed in from here: for a month nobody can keep this account out at this address. */
export async function rememberAddress(ctx: AuthCtx, userId: number, address: string): Promise<void> {
  await ctx.db.run(queries.rememberAddress(userId, addressOf(address), utc(ctx.clock.now())));
  await ctx.db.run(queries.pruneAddresses(userId, MOST_KNOWN_ADDRESSES));
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
