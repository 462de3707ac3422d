// Signing in by OpenID Connect: authorisation code with PKCE. The page asks for the address of the provider, goes there, and
// hands on what the provider answered; the provider itself ends sessions by back-channel logout.
import { ok, operation, SESSION_COOKIE } from '../../kernel/contract.ts';
import { boolean, component, list, object, oneOf, optional, text, timestamp } from '../../kernel/schema.ts';

/** Carries what the server has to remember of a sign-in until the provider has answered. */
export const STATE_COOKIE = 'sign_in_state';

/** As the settings name them. */
const PROVIDERS = ['oidc', 'oidc_2', 'oidc_3'] as const;

const tag = 'auth';
const params = object({ provider: oneOf(PROVIDERS) });
const paramsExample = { provider: 'oidc' };

const SignInOptions = component('SignInOptions', {
  local_sign_in: oneOf(['always', 'superusers', 'off'], {
    description: 'Who may sign in with a password.',
  }),
  providers: list(
    object({
      id: oneOf(PROVIDERS),
      label: text(),
      opens_mcp: optional(boolean({ description: 'True where MCP clients can sign in with it.' })),
    }),
  ),
  proxy: optional(
    object(
      {
        label: text(),
        is_ready: boolean({
          description: 'True where the request came through the proxy, with its header.',
        }),
      },
      { description: 'There where a reverse proxy signs people in.' },
    ),
  ),
  passkeys: optional(boolean({ description: 'True where a passkey may sign in at this address.' })),
});
const SignInStart = component('SignInStart', { authorization_url: text() });
const SignInAnswer = component('SignInAnswer', {
  answer: text({ minLength: 1, maxLength: 16_384, description: 'The query of the address, without ?.' }),
});
const SignInDone = component('SignInDone', { success: boolean(), expires_at: timestamp(), message: text() });

export const getSignInOptions = operation({
  id: 'getSignInOptions',
  method: 'GET',
  path: '/api/v1/auth/options',
  tag,
  summary: 'Ways to sign in',
  access: 'public',
  usesDatastore: false,
  ignoresCaller: true,
  extra: true,
  success: ok(SignInOptions, {
    local_sign_in: 'always',
    providers: [{ id: 'oidc', label: 'Example account' }],
  }),
});

export const startProviderSignIn = operation({
  id: 'startProviderSignIn',
  method: 'POST',
  path: '/api/v1/auth/providers/{provider}/start',
  tag,
  summary: 'Begin to sign in with a provider',
  access: 'public',
  params,
  paramsExample,
  faults: [404, 502],
  usesDatastore: false,
  ignoresCaller: true,
  extra: true,
  success: {
    ...ok(SignInStart, {
      authorization_url: 'https://login.example.com/authorize?client_id=matriarch&state=…',
    }),
    headers: { 'Set-Cookie': `${STATE_COOKIE}; Path=/; HttpOnly; SameSite=Lax; for ten minutes.` },
  },
  notes: ['404 for a provider that is not configured, 502 for one that cannot be reached.'],
});

export const finishProviderSignIn = operation({
  id: 'finishProviderSignIn',
  method: 'POST',
  path: '/api/v1/auth/providers/{provider}/finish',
  tag,
  summary: 'Sign in with what a provider answered',
  access: 'public',
  signsIn: true,
  params,
  paramsExample,
  body: SignInAnswer,
  bodyExample: { answer: 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' },
  faults: [401, 404, 502],
  extra: true,
  success: {
    ...ok(SignInDone, { success: true, expires_at: '2026-11-21T10:00:00.000Z', message: 'Signed in.' }),
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=<token>, as login sets it.` },
  },
  notes: [
    'An answer works once, within ten minutes, in the browser that began. 401 says why it was refused.',
  ],
});

export const endProviderSessions = operation({
  id: 'endProviderSessions',
  method: 'POST',
  path: '/api/v1/auth/providers/{provider}/logout',
  tag,
  summary: 'Back-channel logout, called by a provider',
  access: 'public',
  ignoresCaller: true,
  params,
  paramsExample,
  rawBody: { schema: text({ description: 'logout_token=…, form-encoded.' }), limitBytes: 65_536 },
  bodyExample: 'logout_token=eyJhbGciOiJSUzI1NiJ9.…',
  faults: [404, 502],
  extra: true,
  success: ok(object({ message: text() }), { message: 'Sessions ended: 1.' }),
  notes: [
    '400 for a token that is not signed by the provider, is not for Matriarch, is too old or was used.',
  ],
});

const ResourceMetadata = component('ResourceMetadata', {
  resource: text({ description: 'Address of the MCP server.' }),
  authorization_servers: list(text({ description: 'Issuer of a sign-in provider.' })),
  bearer_methods_supported: list(text()),
  scopes_supported: optional(list(text())),
  resource_name: text(),
});

const metadata = (id: string, path: string, summary: string) =>
  operation({
    ...{ id, path, summary, method: 'GET', tag: 'mcp', access: 'public' },
    faults: [404],
    usesDatastore: false,
    ignoresCaller: true,
    extra: true,
    success: {
      status: 200,
      schema: ResourceMetadata,
      example: {
        resource: 'https://matriarch.example.com/mcp/v1',
        authorization_servers: ['https://login.example.com/realms/company'],
        bearer_methods_supported: ['header'],
        resource_name: 'Matriarch',
      },
    },
    notes: ['Metadata of RFC 9728. 404 where no provider has `mcp_sign_in`.'],
  });

export const getResourceMetadata = metadata(
  'getResourceMetadata',
  '/.well-known/oauth-protected-resource',
  'OAuth metadata of the MCP server',
);

export const getMcpResourceMetadata = metadata(
  'getMcpResourceMetadata',
  '/.well-known/oauth-protected-resource/mcp/v1',
  'OAuth metadata of the MCP server, by its path',
);
