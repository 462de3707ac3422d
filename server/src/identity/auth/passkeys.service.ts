// Passkeys of the own account. Guards: all that is in force is asked for again before one is added or removed; what is stored was
// answered in this session, to a challenge that was made for adding one.

import { randomBytes } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { Fault } from '../../kernel/errors.ts';
import { type Ctx, inTransaction, type PublicCtx } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import {
  changeProven,
  factorRefused,
  inSession,
  type Proof,
  renewRecoveryCodes,
  type SecondFactorAuth,
} from './own-proof.service.ts';
import { CHALLENGE_MS } from './passkey-challenges.ts';
import {
  type Answered,
  type PasskeyAuth,
  type PasskeyGiven,
  parsed,
  SIGN_IN,
  takeChallenge,
} from './passkey-check.service.ts';
import { type Reached, requireSite, siteOf } from './passkey-site.service.ts';
import * as queries from './passkeys.queries.ts';
import { deleteUnusedCodes } from './second-factor.queries.ts';
import { factorsOf } from './second-factor-check.service.ts';
import { deleteOtherSessions } from './sessions.queries.ts';
import { utc } from './tokens.ts';
import * as users from './users.queries.ts';

const MOST_PASSKEYS = 10;
const HANDLE_BYTES = 32;
const NO_SUCH = 'There is no such passkey.';
const TOO_MANY = `An account has at most ${MOST_PASSKEYS} passkeys. Remove one first.`;

export interface Begun {
  options: string;
  /** Of the cookie. */
  challenge: string;
}

/** A challenge for any passkey of this site; who answers it is not known yet. */
export async function startPasskeySignIn(
  { clock }: Pick<PublicCtx, 'clock'>,
  auth: PasskeyAuth,
  reached: Reached,
): Promise<Begun> {
  const { rp_id } = requireSite(auth.public_url, reached);
  const options = await generateAuthenticationOptions({
    rpID: rp_id,
    userVerification: 'required',
    timeout: CHALLENGE_MS,
  });
  const begun = { challenge: options.challenge, user_handle: '' };
  return {
    options: JSON.stringify(options),
    challenge: auth.challenges().seal(SIGN_IN, begun, clock.now()),
  };
}

export interface OwnPasskey {
  id: number;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

export async function listOwnPasskeys(ctx: Ctx, auth: PasskeyAuth, reached: Reached) {
  const rows = await ctx.db.rows<queries.OwnPasskeyRow>(queries.listPasskeys(ctx.principal.user_id));
  const passkeys = rows.map(({ id, name, created_at, last_used_at }) => ({
    id,
    name,
    created_at,
    last_used_at,
  }));
  return { passkeys, can_work: siteOf(auth.public_url, reached) !== undefined };
}

/** Of one session: what another began cannot be finished here. */
const purposeOf = ({ principal: { user_id, via } }: Ctx) => `add to ${user_id} in ${via.kind} ${via.id}`;

export async function startPasskey(
  ctx: Ctx,
  auth: SecondFactorAuth,
  { reached, ...input }: Proof & { reached: Reached },
): Promise<Begun> {
  const { rp_id } = requireSite(auth.public_url, reached);
  const own = await changeProven(ctx, { auth, input, refuse: () => undefined }, (tx, user) =>
    tx.db.rows<queries.OwnPasskeyRow>(queries.listPasskeys(user.id)),
  );
  if (own.length >= MOST_PASSKEYS) throw new Fault('conflict', TOO_MANY);
  const handle = own[0]?.user_handle ?? randomBytes(HANDLE_BYTES);
  const options = await generateRegistrationOptions({
    rpName: 'Matriarch',
    rpID: rp_id,
    userName: ctx.principal.username,
    userID: new Uint8Array(handle),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    excludeCredentials: own.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const begun = { challenge: options.challenge, user_handle: handle.toString('base64url') };
  const challenge = auth.challenges().seal(purposeOf(ctx), begun, ctx.clock.now());
  return { options: JSON.stringify(options), challenge };
}

/** The credential of an answer; 403 where it is not right. */
async function credentialOf(ctx: Ctx, { challenge, site }: Answered, answer: string) {
  const response = parsed<RegistrationResponseJSON>(answer);
  if (!response) throw factorRefused(ctx, 'passkey');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rp_id,
    requireUserVerification: true,
  }).catch((err: unknown) => {
    ctx.log.warn({ event: 'auth.passkey_refused', user_id: ctx.principal.user_id, err });
    throw factorRefused(ctx, 'passkey');
  });
  if (!verified) throw factorRefused(ctx, 'passkey');
  return registrationInfo.credential;
}

async function store(tx: Ctx, passkey: queries.NewPasskey): Promise<OwnPasskey> {
  const own = await tx.db.rows<queries.OwnPasskeyRow>(queries.listPasskeys(passkey.user_id));
  if (own.length >= MOST_PASSKEYS) throw new Fault('conflict', TOO_MANY);
  const row = await tx.db.maybe<{ id: number }>(queries.insertPasskey(passkey));
  if (!row) throw new Fault('conflict', 'This passkey is registered already.');
  return { id: row.id, name: passkey.name, created_at: passkey.created_at, last_used_at: null };
}

const audit = (tx: Ctx, action: 'user.add_passkey' | 'user.remove_passkey', passkey: string) => {
  const { user_id: id, username: name } = tx.principal;
  return recordAudit(tx, { action, target: { kind: 'user', id, name }, details: { passkey } });
};

export interface Added {
  passkey: OwnPasskey;
  /** None where a second factor was in force before: those codes go on working. */
  recovery_codes: string[];
}

export async function addPasskey(
  ctx: Ctx,
  auth: SecondFactorAuth,
  { name, ...given }: PasskeyGiven & { name: string },
): Promise<Added> {
  const { user_id, via } = ctx.principal;
  const begun = await inSession(() => takeChallenge(ctx, auth, { given, purpose: purposeOf(ctx) }));
  const credential = await credentialOf(ctx, begun, given.answer);
  const added = await inTransaction(ctx, async (tx) => {
    await tx.db.one<users.UserRow>(users.lockUser(user_id));
    const factors = await factorsOf(tx, user_id);
    const passkey = await store(tx, {
      user_id,
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      user_handle: Buffer.from(begun.user_handle, 'base64url'),
      counter: credential.counter,
      name,
      created_at: utc(ctx.clock.now()),
    });
    await audit(tx, 'user.add_passkey', name);
    if (factors) return { passkey, recovery_codes: [] };
    await tx.db.run(deleteOtherSessions(user_id, via.kind === 'session' ? via.id : null));
    return { passkey, recovery_codes: await renewRecoveryCodes(tx, user_id) };
  });
  ctx.log.info({ event: 'auth.passkey_added', user_id });
  return added;
}

export async function removeOwnPasskey(
  ctx: Ctx,
  auth: SecondFactorAuth,
  { id, ...input }: Proof & { id: number },
): Promise<void> {
  const own = await ctx.db.rows<queries.OwnPasskeyRow>(queries.listPasskeys(ctx.principal.user_id));
  if (!own.some((passkey) => passkey.id === id)) throw new Fault('not_found', NO_SUCH);
  await changeProven(ctx, { auth, input, refuse: () => undefined }, async (tx, user) => {
    const gone = await tx.db.maybe<{ name: string }>(queries.deletePasskey(user.id, id));
    if (!gone) throw new Fault('not_found', NO_SUCH);
    await tx.db.run(deleteUnusedCodes(user.id));
    await audit(tx, 'user.remove_passkey', gone.name);
  });
  ctx.log.info({ event: 'auth.passkey_removed', user_id: ctx.principal.user_id });
}
