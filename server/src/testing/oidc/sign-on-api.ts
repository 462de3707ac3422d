// The API with sign-in providers, for tests over HTTP: settings as the program reads them, and a browser's part of a sign-in.
import { settings } from '../../cli/settings.ts';
import { authRoutes } from '../../identity/auth/auth.routes.ts';
import { createAuth } from '../../identity/auth/auth.service.ts';
import { createPasswords } from '../../identity/auth/passwords.ts';
import { oidcRoutes } from '../../identity/oidc/oidc.routes.ts';
import { proxyRoutes } from '../../identity/oidc/proxy.routes.ts';
import { createSignOn } from '../../identity/oidc/sign-on.ts';
import { rbacRoutes } from '../../identity/rbac/rbac.routes.ts';
import { loadConfig } from '../../kernel/config.ts';
import { CHEAP_COST } from '../access/auth.ts';
import { type Answer, startTestApi, type TestApi, type TestApiOptions } from '../api.ts';
import { sharedPart, vaultOf } from '../rooms/parts.ts';

export const BASE_URL = 'http://matriarch.test';
const NO_LIMITS = { attempts: 100_000, failures: 100_000, account_failures: 100_000 };

/** `flags` as of the command line, and the secret of the first provider. */
export function startSignOnApi(
  flags: readonly string[],
  secret?: string,
  options: Pick<TestApiOptions, 'config' | 'log'> = {},
): Promise<TestApi> {
  const env = secret === undefined ? {} : { MATRIARCH_AUTH_OIDC_CLIENT_SECRET: secret };
  const { auth: own } = loadConfig({ settings, argv: ['--api-public-url', BASE_URL, ...flags], env });
  const servicesOf = sharedPart(async (parts) => {
    const { clock, log } = parts;
    const vault = await vaultOf(parts);
    const sign_on = createSignOn({ ...{ settings: own, base_url: BASE_URL, clock, log }, vault });
    parts.closeWith(() => sign_on.stop());
    const passwords = createPasswords({ cost: CHEAP_COST });
    const fixed = { limits: NO_LIMITS, ai_enabled: () => false, max_iterations: 5 };
    return { sign_on, auth: createAuth({ ...fixed, passwords, ways: sign_on, vault, public_url: BASE_URL }) };
  });
  return startTestApi({
    ...options,
    config: { ...options.config, proxySignIn: own.proxy },
    rooms: [
      async (parts) => authRoutes((await servicesOf(parts)).auth),
      async (parts) => oidcRoutes(await servicesOf(parts)),
      async (parts) => proxyRoutes(await servicesOf(parts)),
      async (parts) => rbacRoutes((await servicesOf(parts)).auth),
    ],
  });
}

export interface Beginning {
  url: string;
  /** The cookie, as a browser sends it back. */
  cookie: string;
}

const cookieOf = (answer: Answer) => (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

export async function begin({ call }: TestApi, provider = 'oidc'): Promise<Beginning> {
  const answer = await call(`POST /api/v1/auth/providers/${provider}/start`);
  const url = String(Object(answer.body).authorization_url);
  if (answer.status !== 200) throw new Error(`the sign-in did not begin: ${answer.text}`);
  return { url, cookie: cookieOf(answer) };
}

export function finish(
  { call }: TestApi,
  { cookie }: Pick<Beginning, 'cookie'>,
  { answer, provider = 'oidc' }: { answer: string; provider?: string },
): Promise<Answer> {
  return call(`POST /api/v1/auth/providers/${provider}/finish`, { headers: { cookie }, body: { answer } });
}

/** The token of a session that was opened. */
export const sessionOf = (answer: Answer): string => cookieOf(answer).replace(/^session_token=/, '');
