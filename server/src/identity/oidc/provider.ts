// One OpenID Connect provider, as the library openid-client speaks to it. Guards: signatures of tokens are checked with keys
// read anew at each sign-in, so that a rotated key works at once; issuer, audience, nonce, state and times are checked by
// the library; answers are capped; nothing that the provider wrote reaches a reply.
import type { JWTPayload } from 'jose';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Agent } from 'undici';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { createAgent, createTransport } from '../../kernel/http/transport.ts';
import type { Log } from '../../kernel/log.ts';
import type { OidcSettings } from '../../kernel/oidc-settings.ts';
import { once } from '../../kernel/once.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { SKEW_SECONDS } from './access-token.ts';
import { type Claims, mergedClaims } from './claims.ts';
import type { IssuerKeys } from './provider-keys.ts';
import type { Begun } from './state-cookie.ts';

const REQUEST_MS = 10_000;
const LONGEST_ANSWER = 1024 * 1024;
const METADATA_MS = HOUR_MS;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LOGOUT_TOKEN_SECONDS = 300;

export interface Proven {
  issuer: string;
  subject: string;
  claims: Claims;
  id_token: string;
  /** Of the session at the provider, where it names it. */
  provider_session: string | null;
}

export interface LogoutToken {
  issuer: string;
  subject: string | null;
  provider_session: string | null;
  /** Names the token, which works once. */
  id: string;
}

export interface Provider {
  readonly settings: OidcSettings;
  /** As it calls itself; undefined while it is away. */
  issuer(): Promise<string | undefined>;
  begin(): Promise<Begun & { url: string }>;
  finish(begun: Begun, answer: string): Promise<Proven>;
  endSessionUrl(idToken: string | undefined): Promise<string | undefined>;
  logoutToken(token: string): Promise<LogoutToken>;
  /** Read anew; why they cannot be read goes to the log. */
  keys(): Promise<IssuerKeys>;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  settings: OidcSettings;
  /** Where people reach this server. */
  base_url: string;
  clock: Clock;
  log: Log;
}

const openid = once(() => import('openid-client'));

/** Whether the provider could not be reached, or failed by itself: nothing that the person did. */
function isAway(error: unknown): boolean {
  if (error instanceof OutboundError) return error.kind !== 'rejected';
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}

class OidcProvider implements Provider {
  readonly settings: OidcSettings;
  readonly #options: ProviderOptions;
  readonly #agent = once(() => createAgent({ allow_private: true }));
  #isUsed = false;
  #known: { configuration: Configuration; until: number } | undefined;

  constructor(options: ProviderOptions) {
    this.settings = options.settings;
    this.#options = options;
  }

  get #redirectUri(): string {
    return `${this.#options.base_url}/sign-in/callback/${this.settings.id}`;
  }

  readonly #fetch: CustomFetch = async (url, { method, headers, body }) => {
    this.#isUsed = true;
    const agent: Agent = await this.#agent();
    const signal = AbortSignal.timeout(REQUEST_MS);
    const transport = createTransport({ agent, allow_private: true, signal, max_bytes: LONGEST_ANSWER });
    return transport.fetch(url, { method, headers, ...(body && { body: String(body) }) });
  };

  /** What the provider says of itself, read once an hour. */
  async #metadata(): Promise<Configuration> {
    const client = await openid();
    const now = this.#options.clock.monotonic();
    if (this.#known && now < this.#known.until) return this.#known.configuration;
    const { issuer, client_id } = this.settings;
    const isPlain = new URL(issuer).protocol === 'http:';
    const configuration = await client.discovery(new URL(issuer), client_id, undefined, client.None(), {
      [client.customFetch]: this.#fetch,
      execute: isPlain ? [client.allowInsecureRequests] : [],
    });
    this.#known = { configuration, until: now + METADATA_MS };
    return configuration;
  }

  /** A fresh client, which remembers no keys. */
  async #client(): Promise<Configuration> {
    const client = await openid();
    const metadata = (await this.#metadata()).serverMetadata();
    const { client_id, client_secret, issuer } = this.settings;
    const takesPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    const secret = client_secret?.reveal();
    const byHeader = takesPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
    const authentication = secret === undefined ? client.None() : byHeader;
    const own = { [client.clockTolerance]: SKEW_SECONDS };
    const configuration = new client.Configuration(metadata, client_id, own, authentication);
    configuration[client.customFetch] = this.#fetch;
    if (new URL(issuer).protocol === 'http:') client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** Does it, or says in a sentence of ours that it could not be done; why goes to the log. */
  async #guarded<T>(work: () => Promise<T>, refused: () => Fault): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { id, label } = this.settings;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn({ event: 'auth.provider_failed', provider: id, reason });
      if (error instanceof Fault) throw error;
      if (isAway(error)) throw new Fault('bad_gateway', `Cannot reach ${label}. Try again in a moment.`);
      throw refused();
    }
  }

  #unusable(): Fault {
    const { id, label } = this.settings;
    return new Fault(
      'bad_gateway',
      `Cannot use ${label} for signing in. Ask an administrator to check auth.${id}.issuer; the reason is in the log.`,
    );
  }

  issuer(): Promise<string | undefined> {
    const work = async () => (await this.#metadata()).serverMetadata().issuer;
    return this.#guarded(work, () => this.#unusable()).catch(() => undefined);
  }

  begin(): Promise<Begun & { url: string }> {
    const work = async () => {
      const client = await openid();
      const configuration = await this.#client();
      const begun = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        code_verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: this.#redirectUri,
        scope: this.settings.scopes,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(begun.code_verifier),
        code_challenge_method: 'S256',
      });
      return { ...begun, url: url.href };
    };
    return this.#guarded(work, () => this.#unusable());
  }

  finish(begun: Begun, answer: string): Promise<Proven> {
    const { label } = this.settings;
    const isDenied = new URLSearchParams(answer).get('error') === 'access_denied';
    const sentence = isDenied
      ? `You were not let in by ${label}, or you cancelled. Try again, or use another account.`
      : `The answer of ${label} could not be trusted, so you are not signed in. Start again.`;
    return this.#guarded(
      () => this.#prove(begun, answer),
      () => new Fault('unauthenticated', sentence),
    );
  }

  async #prove(begun: Begun, answer: string): Promise<Proven> {
    const client = await openid();
    const configuration = await this.#client();
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(`${this.#redirectUri}?${answer}`),
      {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.code_verifier,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims();
    if (!claims || tokens.id_token === undefined) throw new Error('there is no ID token');
    const { userinfo_endpoint } = configuration.serverMetadata();
    const more = userinfo_endpoint
      ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : {};
    return {
      issuer: claims.iss,
      subject: claims.sub,
      claims: mergedClaims(more, claims),
      id_token: tokens.id_token,
      provider_session: typeof claims.sid === 'string' ? claims.sid : null,
    };
  }

  /** Where signing out goes on; undefined where the provider has no such address or is away. */
  async endSessionUrl(idToken: string | undefined): Promise<string | undefined> {
    if (!this.settings.end_provider_session) return undefined;
    const work = async () => {
      const client = await openid();
      const configuration = await this.#client();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: `${this.#options.base_url}/sign-in`,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href;
    };
    // The session here has ended in any case.
    return this.#guarded(work, () => this.#unusable()).catch(() => undefined);
  }

  logoutToken(token: string): Promise<LogoutToken> {
    const refused = () => new Fault('bad_request', 'The logout token is not valid.');
    return this.#guarded(() => this.#readLogout(token), refused);
  }

  async #readLogout(token: string): Promise<LogoutToken> {
    const jose = await import('jose');
    const { issuer, keys } = await this.#readKeys();
    const { payload } = await jose.jwtVerify(token, jose.createLocalJWKSet(keys), {
      issuer,
      audience: this.settings.client_id,
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: LOGOUT_TOKEN_SECONDS,
    });
    return logoutOf(issuer, payload);
  }

  keys(): Promise<IssuerKeys> {
    return this.#guarded(
      () => this.#readKeys(),
      () => this.#unusable(),
    );
  }

  async #readKeys(): Promise<IssuerKeys> {
    const { issuer, jwks_uri } = (await this.#metadata()).serverMetadata();
    if (jwks_uri === undefined) throw new Error('the provider names no keys');
    const answer = await this.#fetch(jwks_uri, {
      method: 'GET',
      headers: {},
      body: null,
      redirect: 'manual',
    });
    if (!answer.ok) throw new Error(`the keys were answered with ${answer.status}`);
    return { issuer, keys: JSON.parse(await answer.text()) };
  }

  async stop(): Promise<void> {
    if (this.#isUsed) await (await this.#agent()).destroy();
  }
}

/** What a token that is signed says; it has to be one for logout, which an ID token is not. */
function logoutOf(issuer: string, payload: JWTPayload): LogoutToken {
  const { sub, sid, jti, events } = payload;
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  const session = typeof sid === 'string' ? sid : null;
  if (!isLogout || 'nonce' in payload || jti === undefined || (sub === undefined && session === null))
    throw new Error('it is no logout token');
  return { issuer, subject: sub ?? null, provider_session: session, id: jti };
}

/** Speaks to nobody before it is needed. */
export const createProvider = (options: ProviderOptions): Provider => new OidcProvider(options);
