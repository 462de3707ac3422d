// The operations of passkeys, and the services behind them. The challenge leaves only in a cookie.
import { type Http, Reply, type Route, route } from '../../kernel/route.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Ctx, PublicCtx } from '../access/principal.ts';
import type { Auth } from './auth.service.ts';
import type { Proof } from './own-proof.service.ts';
import { CHALLENGE_MS } from './passkey-challenges.ts';
import type { PasskeyGiven } from './passkey-check.service.ts';
import { loginWithPasskey } from './passkey-sign-in.service.ts';
import * as contract from './passkeys.contract.ts';
import * as own from './passkeys.service.ts';
import { attributes, signedIn } from './session-cookies.service.ts';

const reachedBy = (http: Http) => ({ host: http.header('host'), secure: http.secure });

/** The answer of a browser, with the cookie that has its challenge. */
const givenBy = (answer: string, http: Http): PasskeyGiven => ({
  answer,
  cookies: http.header('cookie'),
  reached: reachedBy(http),
});

export const proofOf = (
  body: { password: string; code?: string | undefined; passkey?: string | undefined },
  http: Http,
): Proof => ({
  address: http.address,
  password: new Secret(body.password),
  code: body.code ? new Secret(body.code) : undefined,
  passkey: body.passkey ? givenBy(body.passkey, http) : undefined,
});

function challenged({ options, challenge }: own.Begun, secure: boolean): Reply {
  const age = `; Max-Age=${CHALLENGE_MS / 1000}`;
  const cookie = `${contract.PASSKEY_COOKIE}=${challenge}${attributes(secure)}${age}`;
  return new Reply({ body: { options }, headers: { 'Set-Cookie': cookie } });
}

export function passkeyRoutes(auth: Auth): Route<Ctx>[] {
  return [
    route(contract.startPasskeySignIn, async (ctx: PublicCtx, _input, http) =>
      challenged(await own.startPasskeySignIn(ctx, auth, reachedBy(http)), http.secure),
    ),
    route(contract.finishPasskeySignIn, async (ctx: PublicCtx, { body }, http) => {
      const { address } = http;
      const session = await loginWithPasskey(ctx, auth, { address, ...givenBy(body.passkey, http) });
      return new Reply(await signedIn(ctx, session, http));
    }),
    route(contract.listOwnPasskeys, (ctx, _input, http) => own.listOwnPasskeys(ctx, auth, reachedBy(http))),
    route(contract.startPasskey, async (ctx, { body }, http) => {
      const input = { ...proofOf(body, http), reached: reachedBy(http) };
      return challenged(await own.startPasskey(ctx, auth, input), http.secure);
    }),
    route(contract.addPasskey, (ctx, { body }, http) =>
      own.addPasskey(ctx, auth, { name: body.name, ...givenBy(body.passkey, http) }),
    ),
    route(contract.removeOwnPasskey, async (ctx, { params, body }, http) => {
      await own.removeOwnPasskey(ctx, auth, { id: params.id, ...proofOf(body, http) });
      return { message: 'The passkey was removed.' };
    }),
  ];
}
