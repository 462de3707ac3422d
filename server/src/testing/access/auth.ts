// One "process" of the auth room for tests: its own shared parts on a given datastore, cheap hashes that are
// counted, a clock moved by hand and a log that is kept.

import { expect } from 'vitest';
import { settings } from '../../cli/settings.ts';
import { createAccess } from '../../identity/access/access.service.ts';
import type { Ctx } from '../../identity/access/principal.ts';
import { type Auth, createAuth, login } from '../../identity/auth/auth.service.ts';
import { type LoginLimits, limitsOf } from '../../identity/auth/login-limits.ts';
import { createPasswords } from '../../identity/auth/passwords.ts';
import type { OpenedSession } from '../../identity/auth/sessions.service.ts';
import { createUser } from '../../identity/auth/users.service.ts';
import { lockedVault, type Vault } from '../../identity/secrets/vault.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { loadConfig } from '../../kernel/config.ts';
import type { Database } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { manualClock } from '../manual-clock.ts';
import type { TestDatabase } from '../servers/database.ts';

export const CHEAP_COST = { memory_kib: 64, passes: 1, lanes: 1 };
export const GOOD_PASSWORD = 'staple giraffe orbit';

export interface AuthProcess {
  auth: Auth;
  ctx: Ctx;
  clock: ReturnType<typeof manualClock>;
  /** Hashes computed so far. */
  hashes(): number;
  /** Everything that was logged. */
  logged(): string;
  /** From an address of this process alone, unless another is given. */
  signIn(username: string, password: string, address?: string): Promise<OpenedSession>;
  /** Creates a person with GOOD_PASSWORD; answers the id. */
  person(username: string, options?: { is_superuser?: boolean }): Promise<number>;
  /** The name behind a token, as the gate of the API would see it. */
  whoIs(token: Secret): Promise<string | undefined>;
}

export interface AuthProcessOptions {
  limits?: LoginLimits;
  /** Shared by processes that are to agree about the time. */
  clock?: AuthProcess['clock'];
  /** For tests of second factors; a locked one otherwise. */
  vault?: Vault;
}

/** Of settings that nobody has changed. */
export const usualLimits = limitsOf(loadConfig({ settings, argv: [], env: {} }).auth);

let made = 0;

export function authProcess(db: Database, options: AuthProcessOptions = {}): AuthProcess {
  const clock = options.clock ?? manualClock(systemClock.now());
  made += 1;
  const ownAddress = `10.99.${Math.floor(made / 250)}.${made % 250}`;
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  let hashes = 0;
  const passwords = createPasswords({ cost: CHEAP_COST, onHash: () => (hashes += 1) });
  const auth = createAuth({
    ai_enabled: () => false,
    max_iterations: 50,
    passwords,
    limits: options.limits ?? usualLimits,
    vault: options.vault ?? lockedVault(db),
  });
  const ctx: Ctx = {
    db,
    clock,
    log,
    signal: new AbortController().signal,
    principal: {
      user_id: 0,
      username: 'test',
      is_superuser: true,
      admin_permissions: ['*'],
      via: { kind: 'system', id: 0 },
      scope: undefined,
    },
  };
  return {
    auth,
    ctx,
    clock,
    hashes: () => hashes,
    logged: () => lines.join(''),
    signIn: (username, password, address = ownAddress) =>
      login(ctx, auth, { username, password: new Secret(password), address }),
    async person(username, { is_superuser = false } = {}) {
      const password = new Secret(GOOD_PASSWORD);
      return (
        await createUser(ctx, passwords, { username, password, is_superuser, is_service_account: false })
      ).id;
    },
    async whoIs(token) {
      const access = createAccess({ db, clock, log, sharedAccess: 'read_write' });
      const caller = await access.authenticate(token.reveal());
      await access.stop();
      return caller?.principal.username;
    },
  };
}

/** What each of many calls came to: `ok`, or the status of its Fault, with how often. */
export function tally(outcomes: readonly PromiseSettledResult<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
    const key =
      outcome.status === 'fulfilled'
        ? 'ok'
        : reason instanceof Error && 'status' in reason
          ? String(reason.status)
          : String(reason);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/**
 * Changes a user's row, and commits only once as many transactions as given wait to lock it: all of them have read the row
 * as it was before. Answers what `start` comes to.
 */
export async function changedMeanwhile<T>(
  test: Pick<TestDatabase, 'db' | 'name'>,
  { change, waiting }: { change: Sql; waiting: number },
  start: () => Promise<T>,
): Promise<T> {
  const blocked = sql`/* test.blocked */ select count(*) as n from pg_stat_activity
    where datname = ${test.name} and wait_event_type = 'Lock' and query like '%auth.lock_user%'`;
  const { outcome } = await test.db.transaction(async (db) => {
    await db.run(change);
    const outcome = start();
    const all = async () => (await test.db.one<{ n: number }>(blocked)).n;
    await expect.poll(all, { timeout: 90_000, interval: 20 }).toBe(waiting);
    return { outcome };
  });
  return outcome;
}
