// Whether a code is right, for signing in and for changing the second factor itself. Guards: a code is accepted once, in whatever
// process; a key that cannot be opened lets nobody in, and leaves recovery codes.
import { Fault, type FaultOptions } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Vault, Where } from '../secrets/vault.service.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import { isAppCode, recoveryHash, stepOf } from './one-time-codes.ts';
import { type ProvenPasskey, usePasskey } from './passkey-check.service.ts';
import * as queries from './second-factor.queries.ts';
import { utc } from './tokens.ts';
import type { UserRow } from './users.queries.ts';

export type CodeKind = 'app' | 'recovery';
export type FactorKind = CodeKind | 'passkey';

export const CODE_NEEDED =
  'This account also needs a code to sign in. Enter the code of your authenticator app, or a recovery code.';
export const CODE_WRONG = 'The code is not right, or it was used before. Wait for the next code.';
const KEY_LOST =
  'The key of your authenticator app cannot be decrypted. Use a recovery code, or ask an administrator to remove the second factor.';

const TOO_MANY =
  'Too many codes were tried for this account within an hour. Use a recovery code, or try again later.';
/** Of one account in an hour, from all addresses together. */
const MOST_TRIES = 20;

export const keyCell = (userId: number): Where => ({
  table: 'matriarch.second_factors',
  column: 'sealed_key',
  row_id: userId,
});

/** The second factor that is in force; undefined where none is. */
export async function inForce({ db }: AuthCtx, userId: number): Promise<queries.SecondFactorRow | undefined> {
  const row = await db.maybe<queries.SecondFactorRow>(queries.findSecondFactor(userId));
  return row?.confirmed_at ? row : undefined;
}

/** What is in force of an account: at least one of the two. */
export interface Factors {
  app: queries.SecondFactorRow | undefined;
  has_passkeys: boolean;
}

/** Undefined where the password alone signs in. */
export async function factorsOf(ctx: AuthCtx, userId: number): Promise<Factors | undefined> {
  const app = await inForce(ctx, userId);
  const { has_passkeys } = await ctx.db.one<{ has_passkeys: boolean }>(queries.hasPasskeys(userId));
  return app || has_passkeys ? { app, has_passkeys } : undefined;
}

const aboutOf = (user: UserRow): FaultOptions => ({
  about: { kind: 'user', id: user.id, name: user.username },
});

export const codeNeeded = (user: UserRow): Fault =>
  new Fault('unauthenticated', CODE_NEEDED, { ...aboutOf(user), needsCode: true, asksCode: true });
export const codeRefused = (user: UserRow, sentence = CODE_WRONG): Fault =>
  new Fault('unauthenticated', sentence, { ...aboutOf(user), needsCode: true });

export interface Presented {
  vault: Vault;
  user: UserRow;
  code: Secret;
}

/**
 * Counts a try of an app's code, before the transaction that looks at it: parallel guesses from many addresses cannot all see the same
 * count. 401 once the budget of the account is spent; recovery codes cannot be guessed and go on working.
 */
export async function countTry(ctx: AuthCtx, user: UserRow, code: Secret): Promise<void> {
  if (!isAppCode(code)) return;
  const now = ctx.clock.now();
  const budget = { now: utc(now), since: utc(now - HOUR_MS), most: MOST_TRIES };
  if (await ctx.db.maybe(queries.countTry(user.id, budget))) return;
  if (!(await ctx.db.maybe(queries.findSecondFactor(user.id)))) return;
  ctx.log.warn({ event: 'auth.second_factor_paused', user_id: user.id });
  throw codeRefused(user, TOO_MANY);
}

async function openKey(ctx: AuthCtx, { vault, user }: Presented, sealed: Buffer): Promise<Secret> {
  try {
    return await vault.open(keyCell(user.id), sealed);
  } catch (err) {
    if (!(err instanceof Fault)) throw err;
    ctx.log.error({ event: 'auth.second_factor_unreadable', user_id: user.id, err });
    throw codeRefused(user, KEY_LOST);
  }
}

/**
 * Uses the code up and answers what it was; undefined where it is wrong, or was used. Inside a transaction that has locked the
 * user. Throws 401 where the key of the app cannot be opened.
 */
export async function useCode(
  ctx: AuthCtx,
  presented: Presented,
  row: queries.SecondFactorRow | undefined,
): Promise<CodeKind | undefined> {
  const { user, code } = presented;
  const now = ctx.clock.now();
  if (!isAppCode(code)) {
    const used = await ctx.db.run(queries.useRecoveryCode(user.id, recoveryHash(user.id, code), utc(now)));
    return used === 1 ? 'recovery' : undefined;
  }
  if (!row) return undefined;
  const step = stepOf(await openKey(ctx, presented, row.sealed_key), code, now);
  if (step === undefined) return undefined;
  return (await ctx.db.run(queries.useStep(user.id, step))) === 1 ? 'app' : undefined;
}

export interface PresentedFactor extends Omit<Presented, 'code'> {
  code: Secret | undefined;
  passkey: ProvenPasskey | undefined;
}

/** The passkey where one was proven, else the code; undefined where it is wrong, or neither is there. As useCode. */
export async function useFactor(
  ctx: AuthCtx,
  { code, passkey, ...rest }: PresentedFactor,
  { app }: Factors,
): Promise<FactorKind | undefined> {
  if (passkey) return (await usePasskey(ctx, rest.user.id, passkey)) ? 'passkey' : undefined;
  return code && useCode(ctx, { ...rest, code }, app);
}
