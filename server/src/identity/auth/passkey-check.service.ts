// Whether the answer of a passkey is right. Guards: a challenge is good for one answer, right or wrong; the answer is for this site,
// by a person whom the device has verified; a counter that does not grow is refused, as a copied key has one.
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { Fault } from '../../kernel/errors.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import { CHALLENGE_MS, type Challenge, type Challenges } from './passkey-challenges.ts';
import { type Reached, requireSite, type Site } from './passkey-site.service.ts';
import * as queries from './passkeys.queries.ts';
import { utc } from './tokens.ts';
import { isFirstUse } from './used-once.service.ts';

export const PASSKEY_WRONG = 'The passkey was not accepted. Try again, or use another way to sign in.';
const PASSKEY_UNKNOWN =
  'This passkey is not known here. It may have been removed; use another way to sign in.';
const START_AGAIN = 'The passkey took longer than five minutes, or its answer was used before. Start again.';
export const SIGN_IN = 'sign in';

/** What this needs of what the room shares. */
export interface PasskeyAuth {
  challenges: () => Challenges;
  public_url: string | undefined;
}

/** The answer of a browser, and how it came. */
export interface PasskeyGiven {
  answer: string;
  cookies: string | undefined;
  reached: Reached;
}

/** A right answer of a passkey that is known; good for its user alone, once it has been used. */
export interface ProvenPasskey {
  id: number;
  user_id: number;
  username: string;
  counter: number;
}

export interface Answered extends Challenge {
  site: Site;
}

/** Uses the challenge up, whatever its answer is like. 401 where there is none any more. */
export async function takeChallenge(
  ctx: AuthCtx,
  auth: PasskeyAuth,
  { given, purpose }: { given: PasskeyGiven; purpose: string },
): Promise<Answered> {
  const site = requireSite(auth.public_url, given.reached);
  const now = ctx.clock.now();
  const begun = auth.challenges().open(purpose, given.cookies, now);
  if (!begun) throw new Fault('unauthenticated', START_AGAIN);
  if (!(await isFirstUse(ctx, `passkey ${begun.challenge}`, now + CHALLENGE_MS)))
    throw new Fault('unauthenticated', START_AGAIN);
  return { ...begun, site };
}

/** JSON from outside. What it is like is looked at by what verifies it, which refuses all that it does not know. */
export function parsed<T extends object>(text: string): T | undefined {
  try {
    const value: T | null = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined, with the reason in the log, where the answer is not right. */
async function counterOf(
  ctx: AuthCtx,
  row: queries.PasskeyRow,
  { answer, challenge, site }: Answered & { answer: AuthenticationResponseJSON },
): Promise<number | undefined> {
  try {
    if (answer.response.userHandle !== row.user_handle.toString('base64url'))
      throw new Error('The user handle is that of another account, or missing.');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: true,
      credential: {
        id: row.credential_id.toString('base64url'),
        publicKey: new Uint8Array(row.public_key),
        counter: row.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (err) {
    ctx.log.warn({ event: 'auth.passkey_refused', user_id: row.user_id, err });
    return undefined;
  }
}

/** The passkey that answered; 401 where it is not known, or the answer is not right. Outside of transactions. */
export async function provePasskey(
  ctx: AuthCtx,
  auth: PasskeyAuth,
  given: PasskeyGiven,
): Promise<ProvenPasskey> {
  const begun = await takeChallenge(ctx, auth, { given, purpose: SIGN_IN });
  const answer = parsed<AuthenticationResponseJSON>(given.answer);
  if (typeof answer?.id !== 'string' || typeof answer.response !== 'object' || answer.response === null)
    throw new Fault('unauthenticated', PASSKEY_WRONG);
  const row = await ctx.db.maybe<queries.PasskeyRow>(
    queries.findPasskey(Buffer.from(answer.id, 'base64url')),
  );
  if (!row) throw new Fault('unauthenticated', PASSKEY_UNKNOWN);
  const counter = await counterOf(ctx, row, { ...begun, answer });
  const { id, user_id, username } = row;
  if (counter === undefined)
    throw new Fault('unauthenticated', PASSKEY_WRONG, {
      about: { kind: 'user', id: user_id, name: username },
    });
  return { id, user_id, username, counter };
}

/** Notes the use; false for a passkey of another user. Inside a transaction that has locked the user. */
export async function usePasskey(ctx: AuthCtx, userId: number, passkey: ProvenPasskey): Promise<boolean> {
  const used = { id: passkey.id, counter: passkey.counter, now: utc(ctx.clock.now()) };
  return (await ctx.db.run(queries.usePasskey(userId, used))) === 1;
}
