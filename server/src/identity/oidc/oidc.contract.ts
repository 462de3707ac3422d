// Signing in by OpenID Connect: authorisation code with PKCE. The page asks for the address of the provider, goes there, and
// hands on what the provider answered; the provider itself ends sessions by back-channel logout.
import { ok, operationsOf, SESSION_COOKIE } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

/** Carries what the server has to remember of a sign-in until the provider has answered. */
export const STATE_COOKIE = 'sign_in_state';

/** As the settings name them. */
const PROVIDERS = ['oidc', 'oidc_2', 'oidc_3'] as const;

const operation = operationsOf({ tag: 'auth' });
const params = s.object({ provider: s.oneOf(PROVIDERS) });
const paramsExample = { provider: 'oidc' };

const SignInOptions = s.component('SignInOptions', {
  local_sign_in: s.oneOf(['always', 'superusers', 'off'], {
    description: 'Who may sign in with a password.',
  }),
  providers: s.list(
    s.object({
      id: s.oneOf(PROVIDERS),
      label: s.text(),
      opens_mcp: s.optional(s.boolean({ description: 'True where MCP clients can sign in with it.' })),
    }),
  ),
  proxy: s.optional(
    s.object(
      {
        label: s.text(),
        is_ready: s.boolean({
          description: 'True where the request came through the proxy, with its header.',
        }),
      },
      { description: 'There where a reverse proxy signs people in.' },
    ),
  ),
  passkeys: s.optional(s.boolean({ description: 'True where a passkey may sign in at this address.' })),
});
const SignInStart = s.component('SignInStart', { authorization_url: s.text() });
const SignInAnswer = s.component('SignInAnswer', {
  answer: s.text({ minLength: 1, maxLength: 16_384, description: 'The query of the address, without ?.' }),
});
const SignInDone = s.component('SignInDone', {
  success: s.boolean(),
  expires_at: s.timestamp(),
  message: s.text(),
});

export const getSignInOptions = operation({
  id: 'getSignInOptions',
  route: 'GET /api/v1/auth/options',
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
  route: 'POST /api/v1/auth/providers/{provider}/start',
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
  route: 'POST /api/v1/auth/providers/{provider}/finish',
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
  route: 'POST /api/v1/auth/providers/{provider}/logout',
  summary: 'Back-channel logout, called by a provider',
  access: 'public',
  ignoresCaller: true,
  params,
  paramsExample,
  rawBody: { schema: s.text({ description: 'logout_token=…, form-encoded.' }), limitBytes: 65_536 },
  bodyExample: 'logout_token=eyJhbGciOiJSUzI1NiJ9.…',
  faults: [404, 502],
  extra: true,
  success: ok(s.object({ message: s.text() }), { message: 'Sessions ended: 1.' }),
  notes: [
    '400 for a token that is not signed by the provider, is not for Matriarch, is too old or was used.',
  ],
});

const ResourceMetadata = s.component('ResourceMetadata', {
  resource: s.text({ description: 'Address of the MCP server.' }),
  authorization_servers: s.list(s.text({ description: 'Issuer of a sign-in provider.' })),
  bearer_methods_supported: s.list(s.text()),
  scopes_supported: s.optional(s.list(s.text())),
  resource_name: s.text(),
});

const metadata = (id: string, path: `/${string}`, summary: string) =>
  operation({
    ...{ id, summary, tag: 'mcp', access: 'public' },
    route: `GET ${path}`,
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
