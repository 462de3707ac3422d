// The operation of signing in by the header of a reverse proxy.
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { PublicCtx } from '../access/principal.ts';
import { signedIn } from '../auth/session-cookies.service.ts';
import type { SignOnServices } from './oidc.service.ts';
import * as contract from './proxy.contract.ts';
import { signInByProxy } from './proxy.service.ts';

export function proxyRoutes(services: SignOnServices): Route<PublicCtx>[] {
  return [
    route(
      contract.signInByProxy,
      async (ctx: PublicCtx, _input, http) =>
        new Reply(await signedIn(ctx, await signInByProxy(ctx, services, http), http)),
    ),
  ];
}
