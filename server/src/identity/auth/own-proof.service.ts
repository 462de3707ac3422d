// What changes how the own account signs in: the password is asked for again, and the second factor where one is in force.
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import type { Vault } from '../secrets/vault.service.ts';
import { forgive } from './login-attempts.service.ts';
import { newRecoveryCodes, recoveryHash } from './one-time-codes.ts';
import { PASSKEY_WRONG, type PasskeyAuth, type PasskeyGiven, provePasskey } from './passkey-check.service.ts';
import { checkPassword, type PasswordCheck } from './password-check.service.ts';
import * as queries from './second-factor.queries.ts';
import { CODE_WRONG, countTry, type Factors, factorsOf, useFactor } from './second-factor-check.service.ts';
import * as users from './users.queries.ts';

const GIVE_FACTOR = 'Your second factor is needed for this, too. Give a code, or use a passkey.';

/** What this needs of what the room shares. */
export interface SecondFactorAuth extends PasswordCheck, PasskeyAuth {
  vault: Vault;
}

export interface Proof {
  address: string;
  password: Secret;
  code?: Secret | undefined;
  passkey?: PasskeyGiven | undefined;
}

/** The caller's account, and the attempt that was counted as a failure until it is forgiven; 403 where the password is wrong. */
async function demandPassword(ctx: Ctx, auth: SecondFactorAuth, { address, password }: Proof) {
  const { username, user_id } = ctx.principal;
  const own = await ctx.db.one<users.UserRow>(users.findUser(user_id));
  if (own.password_hash === null)
    throw new Fault('conflict', 'A second factor belongs to a password. Set a password first.');
  const { reservation, user } = await checkPassword(ctx, auth, { address, username, password });
  if (user?.id === user_id) return { user, reservation };
  ctx.log.warn({ event: 'auth.second_factor_refused', user_id, reason: 'password' });
  throw new Fault('forbidden', 'The password is not right.');
}

/** Locked until the transaction ends; 409 where the password changed since it was checked. */
async function lockUnchanged({ db }: Ctx, user: users.UserRow): Promise<void> {
  const locked = await db.one<users.UserRow>(users.lockUser(user.id));
  if (locked.password_hash !== user.password_hash)
    throw new Fault('conflict', 'The password was changed in the meantime.');
}

/** What is 401 for who signs in is 403 for who is signed in: the session goes on. */
export async function inSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'unauthenticated')
      throw new Fault('forbidden', cause.message, { cause });
    throw cause;
  }
}

export function factorRefused(ctx: Ctx, reason: 'code' | 'passkey' | 'missing'): Fault {
  ctx.log.warn({ event: 'auth.second_factor_refused', user_id: ctx.principal.user_id, reason });
  const sentences = { code: CODE_WRONG, passkey: PASSKEY_WRONG, missing: GIVE_FACTOR };
  return new Fault('forbidden', sentences[reason]);
}

export interface Change {
  auth: SecondFactorAuth;
  input: Proof;
  /** Why not, by what is in force; looked at before the second factor is. */
  refuse(factors: Factors | undefined): string | undefined;
}

/** Does something to how the own account signs in once all that is in force was given and is right. */
export async function changeProven<T>(
  ctx: Ctx,
  { auth, input, refuse }: Change,
  work: (tx: Ctx, user: users.UserRow, factors: Factors | undefined) => Promise<T>,
): Promise<T> {
  const { user, reservation } = await demandPassword(ctx, auth, input);
  const { code, passkey: given } = input;
  if (code) await inSession(() => countTry(ctx, user, code));
  const passkey = given && (await inSession(() => provePasskey(ctx, auth, given)));
  return inTransaction(ctx, async (tx) => {
    await lockUnchanged(tx, user);
    const factors = await factorsOf(tx, user.id);
    const why = refuse(factors);
    if (why !== undefined) throw new Fault('conflict', why);
    if (factors) {
      const presented = { vault: auth.vault, user, code, passkey };
      const isRight = await inSession(() => useFactor(tx, presented, factors));
      const missing = code || passkey ? undefined : 'missing';
      if (!isRight) throw factorRefused(tx, missing ?? (code ? 'code' : 'passkey'));
    }
    await forgive(tx.db, reservation);
    return work(tx, user, factors);
  });
}

/** Ten new recovery codes in place of the old ones. */
export async function renewRecoveryCodes({ db }: Ctx, userId: number): Promise<string[]> {
  const codes = newRecoveryCodes();
  await db.run(queries.deleteRecoveryCodes(userId));
  await db.run(
    queries.insertRecoveryCodes(
      userId,
      codes.map((code) => recoveryHash(userId, code)),
    ),
  );
  return codes.map((code) => code.reveal());
}
