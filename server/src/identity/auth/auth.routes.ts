// The operations of signing in and the own account. The session token leaves only in Set-Cookie.
import { SESSION_COOKIE } from '../../kernel/contract.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Ctx, PublicCtx } from '../access/principal.ts';
import * as contract from './auth.contract.ts';
import { type Auth, changeOwnPassword, getUserInfo, login, loginWithLink } from './auth.service.ts';
import { endSession, type OpenedSession } from './sessions.service.ts';

const attributes = (secure: boolean) => `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

function signedIn({ token, expires_at }: OpenedSession, secure: boolean): Reply {
  const expires = `; Expires=${new Date(expires_at).toUTCString()}`;
  return new Reply({
    body: { success: true, expires_at, message: 'Signed in.' },
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=${token.reveal()}${attributes(secure)}${expires}` },
  });
}

function signedOut(secure: boolean): Reply {
  return new Reply({
    body: { success: true, message: 'Signed out.' },
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=${attributes(secure)}; Max-Age=0` },
  });
}

const given = (text: string | undefined) => (text ? new Secret(text) : undefined);

/** All operations of this room; `createAuth` makes what they share. */
export function authRoutes(auth: Auth): Route<Ctx>[] {
  return [
    route(contract.login, async (ctx: PublicCtx, { body }, { address, secure }) => {
      const password = new Secret(body.password);
      return signedIn(await login(ctx, auth, { address, username: body.username, password }), secure);
    }),
    route(contract.loginWithLink, async (ctx: PublicCtx, { body }, { address, secure }) =>
      signedIn(await loginWithLink(ctx, auth, { address, token: new Secret(body.token) }), secure),
    ),
    route(contract.logout, async (ctx: PublicCtx, _input, { token, secure }) => {
      await endSession(ctx, token);
      return signedOut(secure);
    }),
    route(contract.changeOwnPassword, async (ctx: Ctx, { body }, { address }) => {
      const current_password = given(body.current_password);
      const new_password = new Secret(body.new_password);
      await changeOwnPassword(ctx, auth, { address, current_password, new_password });
      return { message: 'Password changed.' };
    }),
    route(contract.getUserInfo, async (ctx: PublicCtx) => getUserInfo(ctx, ctx.principal)),
    route(contract.getCapabilities, async (_ctx: Ctx) => ({
      ai_enabled: auth.ai_enabled(),
      max_iterations: auth.max_iterations,
    })),
  ];
}
