// The second factor of the own account, and its removal by an administrator. Guards: the password is asked for again before anything
// is shown or changed; nothing is in force before a code has confirmed it; keys and codes are shown once.
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { type AuditAction, recordAudit } from '../audit/audit.service.ts';
import type { Vault } from '../secrets/vault.service.ts';
import { forgive, type Reservation } from './login-attempts.service.ts';
import { appAddress, newKey, newRecoveryCodes, recoveryHash } from './one-time-codes.ts';
import { checkPassword, type PasswordCheck } from './password-check.service.ts';
import * as queries from './second-factor.queries.ts';
import {
  CODE_WRONG,
  type CodeKind,
  countTry,
  inForce,
  keyCell,
  useCode,
} from './second-factor-check.service.ts';
import { deleteOtherSessions } from './sessions.queries.ts';
import { endAccess } from './sessions.service.ts';
import { utc } from './tokens.ts';
import * as users from './users.queries.ts';

/** An offer that was not confirmed by then has to be made anew. */
const OFFER_MS = HOUR_MS;
const IS_SET_UP = 'A second factor is set up already. Remove it first.';
const NOT_SET_UP = 'No second factor is set up.';
const START_AGAIN = 'This setup is too old, or was replaced. Start it again.';

/** What this needs of what the room shares. */
export interface SecondFactorAuth extends PasswordCheck {
  vault: Vault;
}

export interface SecondFactorState {
  is_set_up: boolean;
  is_required: boolean;
  confirmed_at: string | null;
  recovery_codes_left: number;
}

export async function getSecondFactor(ctx: Ctx): Promise<SecondFactorState> {
  const { user_id, second_factor_required = false } = ctx.principal;
  const row = await inForce(ctx, user_id);
  const { unused } = await ctx.db.one<{ unused: number }>(queries.countRecoveryCodes(user_id));
  return {
    is_set_up: row !== undefined,
    is_required: second_factor_required,
    confirmed_at: row?.confirmed_at ?? null,
    recovery_codes_left: unused,
  };
}

export interface OwnPassword {
  address: string;
  password: Secret;
}

export interface PasswordAndCode extends OwnPassword {
  code: Secret;
}

/** The caller's account, and the attempt that was counted as a failure until it is forgiven; 403 where the password is wrong. */
async function demandPassword(ctx: Ctx, auth: SecondFactorAuth, { address, password }: OwnPassword) {
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

export interface Offer {
  setup_key: string;
  app_url: string;
}

/** Offers a new key. It is not in force before a code confirms it. */
export async function startSecondFactor(
  ctx: Ctx,
  auth: SecondFactorAuth,
  input: OwnPassword,
): Promise<Offer> {
  const { user, reservation } = await demandPassword(ctx, auth, input);
  const key = newKey();
  const sealed = await auth.vault.seal(keyCell(user.id), key);
  await inTransaction(ctx, async (tx) => {
    await lockUnchanged(tx, user);
    await forgive(tx.db, reservation);
    const now = utc(ctx.clock.now());
    const isOffered = (await tx.db.run(queries.offerSecondFactor(user.id, sealed, now))) === 1;
    if (!isOffered) throw new Fault('conflict', IS_SET_UP);
  });
  return { setup_key: key.reveal(), app_url: appAddress(key, user.username).reveal() };
}

async function renewRecoveryCodes({ db }: Ctx, userId: number): Promise<string[]> {
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

const audit = (ctx: Ctx, action: AuditAction, user: Pick<users.UserRow, 'id' | 'username'>) =>
  recordAudit(ctx, { action, target: { kind: 'user', id: user.id, name: user.username } });

function wrongCode(ctx: Ctx): Fault {
  ctx.log.warn({ event: 'auth.second_factor_refused', user_id: ctx.principal.user_id, reason: 'code' });
  return new Fault('forbidden', CODE_WRONG);
}

/** What is 401 for who signs in is 403 for who is signed in: the session goes on. */
async function inSession<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'unauthenticated')
      throw new Fault('forbidden', cause.message, { cause });
    throw cause;
  }
}

interface CodeGiven {
  code: Secret;
  user: users.UserRow;
  reservation: Reservation;
  row: queries.SecondFactorRow;
}

/** 403 for a wrong code, which the counted attempt then is a failure for. */
async function demandCode(
  ctx: Ctx,
  auth: SecondFactorAuth,
  { code, user, reservation, row }: CodeGiven,
): Promise<CodeKind> {
  const kind = await inSession(() => useCode(ctx, { vault: auth.vault, user, code }, row));
  if (kind === undefined) throw wrongCode(ctx);
  await forgive(ctx.db, reservation);
  return kind;
}

/** Puts the offered key in force, ends the other sessions, and answers the recovery codes. */
export async function confirmSecondFactor(
  ctx: Ctx,
  auth: SecondFactorAuth,
  { address, code }: { address: string; code: Secret },
): Promise<string[]> {
  const { user_id, username, via } = ctx.principal;
  const reservation = await auth.attempts.reserve(ctx, { address, username });
  const codes = await inTransaction(ctx, async (tx) => {
    const user = await tx.db.one<users.UserRow>(users.lockUser(user_id));
    const row = await tx.db.maybe<queries.SecondFactorRow>(queries.findSecondFactor(user_id));
    if (row?.confirmed_at) throw new Fault('conflict', IS_SET_UP);
    if (!row || ctx.clock.now() - Date.parse(row.created_at) > OFFER_MS)
      throw new Fault('conflict', START_AGAIN);
    await demandCode(tx, auth, { code, user, reservation, row });
    await tx.db.run(queries.confirmSecondFactor(user_id, utc(ctx.clock.now())));
    await tx.db.run(deleteOtherSessions(user_id, via.kind === 'session' ? via.id : null));
    await audit(tx, 'user.set_second_factor', user);
    return renewRecoveryCodes(tx, user_id);
  });
  ctx.log.info({ event: 'auth.second_factor_set', user_id });
  return codes;
}

/** Does something to the own second factor once password and code are right. */
async function change<T>(
  ctx: Ctx,
  { auth, input }: { auth: SecondFactorAuth; input: PasswordAndCode },
  work: (tx: Ctx, user: users.UserRow) => Promise<T>,
): Promise<T> {
  const { user, reservation } = await demandPassword(ctx, auth, input);
  await inSession(() => countTry(ctx, user, input.code));
  return inTransaction(ctx, async (tx) => {
    await lockUnchanged(tx, user);
    const row = await inForce(tx, user.id);
    if (!row) throw new Fault('conflict', NOT_SET_UP);
    await demandCode(tx, auth, { code: input.code, user, reservation, row });
    return work(tx, user);
  });
}

/** Answers ten new recovery codes; the old ones are of no use any more. */
export function replaceRecoveryCodes(
  ctx: Ctx,
  auth: SecondFactorAuth,
  input: PasswordAndCode,
): Promise<string[]> {
  return change(ctx, { auth, input }, async (tx, user) => {
    await audit(tx, 'user.set_recovery_codes', user);
    return renewRecoveryCodes(tx, user.id);
  });
}

export async function removeOwnSecondFactor(
  ctx: Ctx,
  auth: SecondFactorAuth,
  input: PasswordAndCode,
): Promise<void> {
  await change(ctx, { auth, input }, async (tx, user) => {
    await tx.db.run(queries.deleteSecondFactor(user.id));
    await audit(tx, 'user.remove_second_factor', user);
  });
  ctx.log.info({ event: 'auth.second_factor_removed', user_id: ctx.principal.user_id });
}

/** Takes it away from any account and ends its sessions; who may is decided before. 409 where there is none. */
export async function removeSecondFactor(
  ctx: Ctx,
  user: Pick<users.UserRow, 'id' | 'username'>,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await tx.db.one<users.UserRow>(users.lockUser(user.id));
    if ((await tx.db.run(queries.deleteSecondFactor(user.id))) === 0) throw new Fault('conflict', NOT_SET_UP);
    await endAccess(tx.db, user.id, null);
    await audit(tx, 'user.remove_second_factor', user);
  });
  ctx.log.info({ event: 'auth.second_factor_removed', user_id: user.id, by: ctx.principal.user_id });
}
