// The operations of signing in and the own account. The session token leaves only in Set-Cookie.
import { Reply, type Route, route } from '../../kernel/route.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Ctx, PublicCtx } from '../access/principal.ts';
import * as contract from './auth.contract.ts';
import { type Auth, changeOwnPassword, getUserInfo, login, loginWithLink } from './auth.service.ts';
import * as own from './own-sessions.contract.ts';
import { endOwnSession, listOwnSessions, listOwnSignIns } from './own-sessions.service.ts';
import { passkeyRoutes, proofOf } from './passkeys.routes.ts';
import { secondFactorRoutes } from './second-factor.routes.ts';
import { signedIn, signedOut } from './session-cookies.service.ts';
import { endSession } from './sessions.service.ts';

const given = (text: string | undefined) => (text ? new Secret(text) : undefined);

/** All operations of this room; `createAuth` makes what they share. */
export function authRoutes(auth: Auth): Route<Ctx>[] {
  return [
    route(contract.login, async (ctx: PublicCtx, { body }, http) => {
      const session = await login(ctx, auth, { username: body.username, ...proofOf(body, http) });
      return new Reply(await signedIn(ctx, session, http));
    }),
    route(contract.loginWithLink, async (ctx: PublicCtx, { body }, http) => {
      const session = await loginWithLink(ctx, auth, {
        address: http.address,
        token: new Secret(body.token),
      });
      return new Reply(await signedIn(ctx, session, http));
    }),
    route(contract.logout, async (ctx: PublicCtx, _input, { token, secure }) => {
      const ended = await endSession(ctx, token);
      const url = ended && (await auth.ways.signOutUrl(ended));
      return new Reply(signedOut(secure, url));
    }),
    route(contract.changeOwnPassword, async (ctx, { body }, { address }) => {
      const current_password = given(body.current_password);
      const new_password = new Secret(body.new_password);
      await changeOwnPassword(ctx, auth, { address, current_password, new_password });
      return { message: 'Password changed.' };
    }),
    route(own.listOwnSessions, async (ctx) => ({
      sessions: await listOwnSessions(ctx, auth.session_idle_ms),
    })),
    route(own.endOwnSession, async (ctx, { params }) => {
      await endOwnSession(ctx, params.id);
      return { message: 'The session has ended.' };
    }),
    route(own.listOwnSignIns, async (ctx, { query }) => ({
      sign_ins: await listOwnSignIns(ctx, query.limit ?? 20),
    })),
    ...secondFactorRoutes(auth),
    ...passkeyRoutes(auth),
    route(contract.getUserInfo, (ctx: PublicCtx) => getUserInfo(ctx, ctx.principal)),
    route(contract.getCapabilities, () => ({
      ai_enabled: auth.ai_enabled(),
      max_iterations: auth.max_iterations,
    })),
  ];
}
