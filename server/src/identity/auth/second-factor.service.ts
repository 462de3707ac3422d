// The second factor of the own account, and its removal by an administrator. Guards: the password is asked for again before anything
// is shown or changed; nothing is in force before a code has confirmed it; keys and codes are shown once.
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { type AuditAction, recordAudit } from '../audit/audit.service.ts';
import { forgive, type Reservation } from './login-attempts.service.ts';
import { appAddress, newKey } from './one-time-codes.ts';
import {
  changeProven,
  factorRefused,
  inSession,
  type Proof,
  renewRecoveryCodes,
  type SecondFactorAuth,
} from './own-proof.service.ts';
import { deletePasskeys } from './passkeys.queries.ts';
import * as queries from './second-factor.queries.ts';
import { type Factors, inForce, keyCell, useCode } from './second-factor-check.service.ts';
import { deleteOtherSessions } from './sessions.queries.ts';
import { endAccess } from './sessions.service.ts';
import { utc } from './tokens.ts';
import * as users from './users.queries.ts';

/** An offer that was not confirmed by then has to be made anew. */
const OFFER_MS = HOUR_MS;
const IS_SET_UP = 'A second factor is set up already. Remove it first.';
const NOT_SET_UP = 'No second factor is set up.';
const START_AGAIN = 'This setup is too old, or was replaced. Start it again.';

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

export interface Offer {
  setup_key: string;
  app_url: string;
}

/** Offers a new key. It is not in force before a code confirms it. */
export async function startSecondFactor(ctx: Ctx, auth: SecondFactorAuth, input: Proof): Promise<Offer> {
  const key = newKey();
  const { user_id, username } = ctx.principal;
  const sealed = await auth.vault.seal(keyCell(user_id), key);
  const refuse = (factors: Factors | undefined) => (factors?.app ? IS_SET_UP : undefined);
  await changeProven(ctx, { auth, input, refuse }, (tx) =>
    tx.db.run(queries.offerSecondFactor(user_id, sealed, utc(ctx.clock.now()))),
  );
  return { setup_key: key.reveal(), app_url: appAddress(key, username).reveal() };
}

const audit = (ctx: Ctx, action: AuditAction, user: Pick<users.UserRow, 'id' | 'username'>) =>
  recordAudit(ctx, { action, target: { kind: 'user', id: user.id, name: user.username } });

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
): Promise<void> {
  const kind = await inSession(() => useCode(ctx, { vault: auth.vault, user, code }, row));
  if (kind === undefined) throw factorRefused(ctx, 'code');
  await forgive(ctx.db, reservation);
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

/** Answers ten new recovery codes; the old ones are of no use any more. */
export function replaceRecoveryCodes(ctx: Ctx, auth: SecondFactorAuth, input: Proof): Promise<string[]> {
  const refuse = (factors: Factors | undefined) => (factors ? undefined : NOT_SET_UP);
  return changeProven(ctx, { auth, input, refuse }, async (tx, user) => {
    await audit(tx, 'user.set_recovery_codes', user);
    return renewRecoveryCodes(tx, user.id);
  });
}

/** Passkeys stay, and recovery codes with them. */
export async function removeOwnSecondFactor(ctx: Ctx, auth: SecondFactorAuth, input: Proof): Promise<void> {
  const refuse = (factors: Factors | undefined) => (factors?.app ? undefined : NOT_SET_UP);
  await changeProven(ctx, { auth, input, refuse }, async (tx, user) => {
    await tx.db.run(queries.deleteSecondFactor(user.id));
    await tx.db.run(queries.deleteUnusedCodes(user.id));
    await audit(tx, 'user.remove_second_factor', user);
  });
  ctx.log.info({ event: 'auth.second_factor_removed', user_id: ctx.principal.user_id });
}

/** Takes the app and all passkeys from any account and ends its sessions; who may is decided before. 409 where there is none. */
export async function removeSecondFactor(
  ctx: Ctx,
  user: Pick<users.UserRow, 'id' | 'username'>,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await tx.db.one<users.UserRow>(users.lockUser(user.id));
    const apps = await tx.db.run(queries.deleteSecondFactor(user.id));
    const removed = apps + (await tx.db.run(deletePasskeys(user.id)));
    if (removed === 0) throw new Fault('conflict', NOT_SET_UP);
    await tx.db.run(queries.deleteUnusedCodes(user.id));
    await endAccess(tx.db, user.id, null);
    await audit(tx, 'user.remove_second_factor', user);
  });
  ctx.log.info({ event: 'auth.second_factor_removed', user_id: user.id, by: ctx.principal.user_id });
}
