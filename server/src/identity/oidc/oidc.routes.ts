// The operations of signing in with a provider. What has to be remembered of an attempt leaves only in a cookie.
import { Fault } from '../../kernel/errors.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { PublicCtx } from '../access/principal.ts';
import { siteOf } from '../auth/passkey-site.service.ts';
import { attributes, signedIn } from '../auth/session-cookies.service.ts';
import * as contract from './oidc.contract.ts';
import { endByProvider, finishSignIn, type SignOnServices, startSignIn } from './oidc.service.ts';
import { proxyOption } from './proxy.service.ts';
import { STATE_MS } from './state-cookie.ts';

const { STATE_COOKIE } = contract;

export function oidcRoutes(services: SignOnServices): Route<PublicCtx>[] {
  const { sign_on } = services;
  const metadata = async () => {
    if (sign_on.tokens) return sign_on.tokens.metadata;
    throw new Fault('not_found', 'No sign-in provider opens /mcp/v1 here.');
  };
  return [
    route(contract.getSignInOptions, async (ctx: PublicCtx, _input, http) => {
      const reached = { host: http.header('host'), secure: http.secure };
      const proxy = proxyOption(sign_on.proxy, http, ctx.log);
      return {
        local_sign_in: sign_on.password,
        providers: sign_on.providers.map(({ settings: { id, label, mcp_sign_in } }) => ({
          ...{ id, label },
          ...(mcp_sign_in && { opens_mcp: true }),
        })),
        ...(proxy && { proxy }),
        ...(sign_on.password !== 'off' && siteOf(services.auth.public_url, reached) && { passkeys: true }),
      };
    }),
    route(contract.getResourceMetadata, metadata),
    route(contract.getMcpResourceMetadata, metadata),
    route(contract.startProviderSignIn, async (ctx: PublicCtx, { params }, { secure }) => {
      const { url, state } = await startSignIn(ctx, services, params.provider);
      const cookie = `${STATE_COOKIE}=${state}${attributes(secure)}; Max-Age=${STATE_MS / 1000}`;
      return new Reply({ body: { authorization_url: url }, headers: { 'Set-Cookie': cookie } });
    }),
    route(contract.finishProviderSignIn, async (ctx: PublicCtx, { params, body }, http) => {
      const { provider } = params;
      const answered = {
        ...{ provider, answer: body.answer },
        ...{ cookies: http.header('cookie'), address: http.address },
      };
      return new Reply(await signedIn(ctx, await finishSignIn(ctx, services, answered), http));
    }),
    route(contract.endProviderSessions, async (ctx: PublicCtx, { params }, { raw_body }) => {
      const body = Buffer.from(raw_body).toString('utf8');
      const ended = await endByProvider(ctx, services, { provider: params.provider, body });
      return { message: `Sessions ended: ${ended}.` };
    }),
  ];
}
