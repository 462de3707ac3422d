// The providers of this process, and who may still sign in with a password.
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { OidcProviderId } from '../../kernel/oidc-settings.ts';
import { once } from '../../kernel/once.ts';
import { createRateLimit, type RateLimit } from '../../kernel/rate-limit.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { EndedSession } from '../auth/sessions.service.ts';
import type { SignInWays } from '../auth/sign-in-ways.types.ts';
import type { Vault } from '../secrets/vault.service.ts';
import { createProvider, type Provider } from './provider.ts';
import { createProviderTokens, type ProviderTokens } from './provider-tokens.ts';
import { createProxySignIn, PROXY_ISSUER, type ProxySignIn } from './proxy.service.ts';
import { createStateCookies, type StateCookies } from './state-cookie.ts';

/** From one address in a minute, which may be that of a whole company. */
const REQUESTS = 300;

export interface SignOn extends Part, SignInWays {
  providers: readonly Provider[];
  /** Undefined where no reverse proxy signs people in. */
  proxy: ProxySignIn | undefined;
  /** Undefined where no provider's tokens open /mcp/v1. */
  tokens: ProviderTokens | undefined;
  /** Made when they are needed: only then is the vault asked. */
  cookies: () => StateCookies;
  /** What one address may have the providers asked for. */
  requests: RateLimit;
  vault: Vault;
}

export interface SignOnOptions {
  settings: Pick<Config['auth'], 'providers' | 'local_sign_in'> & Partial<Pick<Config['auth'], 'proxy'>>;
  /** There where a provider is configured. */
  base_url: string | undefined;
  vault: Vault;
  clock: Clock;
  log: Log;
}

/** At what opened the session; undefined for other sessions, and where that has no address for it. */
async function signOutUrl(
  { providers, proxy }: Pick<SignOn, 'providers' | 'proxy'>,
  vault: Vault,
  { issuer, sealed_id_token, session_id }: EndedSession,
): Promise<string | undefined> {
  if (issuer === null) return undefined;
  if (issuer === PROXY_ISSUER) return proxy?.settings.sign_out_url;
  for (const provider of providers.filter(({ settings }) => settings.end_provider_session)) {
    if ((await provider.issuer()) !== issuer) continue;
    const where = { table: 'sessions', column: 'sealed_id_token', row_id: session_id };
    const token = sealed_id_token && (await vault.open(where, sealed_id_token).catch(() => undefined));
    return provider.endSessionUrl(token?.reveal());
  }
  return undefined;
}

export function createSignOn({ settings, base_url = '', vault, clock, log }: SignOnOptions): SignOn {
  const providers = settings.providers.map((one) => createProvider({ settings: one, base_url, clock, log }));
  const proxy = settings.proxy && createProxySignIn(settings.proxy);
  const ways = [...(settings.proxy ? [settings.proxy] : []), ...settings.providers];
  return {
    name: 'sign-on',
    password: settings.local_sign_in,
    labels: ways.map(({ label }) => label).join(' or '),
    signOutUrl: (ended) => signOutUrl({ providers, proxy }, vault, ended),
    providers,
    proxy,
    tokens: createProviderTokens({ providers, base_url, clock }),
    cookies: once(() => createStateCookies(vault.derive('sign-in state v1'))),
    requests: createRateLimit({ limit: REQUESTS, window_ms: MINUTE_MS, clock }),
    vault,
    stop: async () => {
      await Promise.all(providers.map((provider) => provider.stop()));
    },
  };
}

export function requireProvider({ providers }: SignOn, id: OidcProviderId): Provider {
  const provider = providers.find(({ settings }) => settings.id === id);
  if (!provider) throw new Fault('not_found', 'There is no such sign-in provider.');
  return provider;
}
