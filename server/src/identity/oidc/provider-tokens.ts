// /mcp/v1 as a protected resource of OAuth (RFC 9728): what it says of itself, and whom an access token of a provider names. Guards:
// off until a setting of a provider switches it on; a token is checked by the provider alone that it names as its issuer.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/errors.ts';
import type { OidcSettings } from '../../kernel/oidc-settings.ts';
import { proveToken, type TokenBearer } from './access-token.ts';
import { bindingOf } from './admission.service.ts';
import type { Provider } from './provider.ts';
import { ProviderKeys } from './provider-keys.ts';

const RESOURCE_PATH = '/mcp/v1';
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  bearer_methods_supported: string[];
  scopes_supported?: string[];
  resource_name: string;
}

export interface ProviderTokens {
  metadata: ResourceMetadata;
  /** Value of WWW-Authenticate. */
  challenge(error?: 'invalid_token' | 'insufficient_scope'): string;
  /** Whom a token names; a Fault where it is refused. */
  prove(token: string): Promise<TokenBearer | Fault>;
  /** Why a token is refused wherever else it comes. */
  misplaced(): Fault;
  /** Why a token that is right lets nobody in. */
  stranger(bearer: TokenBearer): Fault;
}

const bare = (issuer: string) => issuer.replace(/\/$/, '');

/** Read without a check: it only says whose keys are asked. */
async function namedIssuer(token: string): Promise<string | undefined> {
  const { decodeJwt } = await import('jose');
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

function metadataOf(resource: string, settings: readonly OidcSettings[]): ResourceMetadata {
  const scopes = [...new Set(settings.flatMap(({ mcp_scopes }) => mcp_scopes))];
  return {
    resource,
    authorization_servers: settings.map(({ issuer }) => issuer),
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    resource_name: 'Matriarch',
  };
}

function challengesOf(base_url: string, { scopes_supported }: ResourceMetadata) {
  const scope = scopes_supported && `scope="${scopes_supported.join(' ')}"`;
  const where = `resource_metadata="${base_url}${METADATA_PATH}${RESOURCE_PATH}"`;
  return (error?: string) =>
    `Bearer ${[error && `error="${error}"`, scope, where].filter(Boolean).join(', ')}`;
}

export interface ProviderTokenOptions {
  providers: readonly Provider[];
  /** Where people reach this server. */
  base_url: string;
  clock: Clock;
}

/** Undefined where no provider is to be trusted with it. */
export function createProviderTokens({
  providers,
  base_url,
  clock,
}: ProviderTokenOptions): ProviderTokens | undefined {
  const trusted = providers
    .filter(({ settings }) => settings.mcp_sign_in)
    .map((provider) => ({ provider, keys: new ProviderKeys(() => provider.keys(), clock) }));
  if (trusted.length === 0) return undefined;
  const resource = `${base_url}${RESOURCE_PATH}`;
  const metadata = metadataOf(
    resource,
    trusted.map(({ provider }) => provider.settings),
  );
  const challenge = challengesOf(base_url, metadata);
  return {
    metadata,
    challenge,
    async prove(token) {
      const issuer = await namedIssuer(token);
      const found = trusted.find(
        ({ provider }) => issuer !== undefined && bare(provider.settings.issuer) === bare(issuer),
      );
      if (!found) return new Fault('unauthenticated', 'The token is of no provider that is trusted here.');
      const { settings } = found.provider;
      const audience = settings.mcp_audience ?? resource;
      const proven = await proveToken(token, { settings, audience, keys: found.keys, clock });
      if (!(proven instanceof Fault) || proven.code !== 'forbidden') return proven;
      return new Fault(proven.code, proven.message, { challenge: challenge('insufficient_scope') });
    },
    misplaced: () =>
      new Fault(
        'unauthenticated',
        `A token of a sign-in provider opens ${RESOURCE_PATH} only. Use an API token.`,
      ),
    stranger: ({ label, ...identity }) =>
      new Fault(
        'forbidden',
        `No enabled user here belongs to your account at ${label}. Sign in once in the browser, or ask an administrator to run: ${bindingOf('<user name>', identity)}`,
      ),
  };
}
