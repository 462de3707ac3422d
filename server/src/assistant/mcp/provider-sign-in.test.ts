// The official MCP client signs in by a certified provider: from 401 over the metadata to a token for this server alone.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../../testing/access/actors.ts';
import { giveIdentity, startMcpApi } from '../../testing/oidc/mcp-api.ts';
import { type RealProvider, signInAtProvider, startRealProvider } from '../../testing/oidc/real-provider.ts';
import type { WholeApi } from '../../testing/rooms/whole.ts';
import { freePort } from '../../testing/servers/free-port.ts';

const REDIRECT = 'http://127.0.0.1/callback';
const SECRET = 'what-matriarch-and-the-provider-share';

let provider: RealProvider;
let test: WholeApi;
let base_url = '';
beforeAll(async () => {
  const port = await freePort();
  base_url = `http://127.0.0.1:${port}`;
  const mcp = { resource: `${base_url}/mcp/v1`, redirect_uri: REDIRECT };
  provider = await startRealProvider({ base_url, secret: SECRET, mcp });
  const own = {
    issuer: provider.issuer,
    'client-id': 'matriarch',
    'mcp-sign-in': 'true',
    'mcp-scopes': 'matriarch',
  };
  const flags = Object.entries(own).flatMap(([name, value]) => [`--auth-oidc-${name}`, value]);
  test = await startMcpApi({ base_url, flags, secret: SECRET, config: { port } });
  await test.api.listen();
});
afterAll(async () => {
  await test?.close();
  await provider?.stop();
});

/** What a client keeps of its sign-in. */
function clientAuth() {
  const kept: { url: string; verifier: string; tokens?: OAuthTokens } = { url: '', verifier: '' };
  return {
    kept,
    redirectUrl: REDIRECT,
    clientMetadata: { redirect_uris: [REDIRECT], client_name: 'test' },
    clientInformation: () => ({ client_id: 'mcp-client' }),
    tokens: () => kept.tokens,
    saveTokens(tokens: OAuthTokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept.url = url.href;
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
  };
}

async function signIn(subject: string) {
  const authProvider = clientAuth();
  const open = () => new StreamableHTTPClientTransport(new URL(`${base_url}/mcp/v1`), { authProvider });
  const first = open();
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(first)).rejects.toThrow(UnauthorizedError);
  const asked = new URL(authProvider.kept.url);
  expect(asked.searchParams.get('resource')).toBe(`${base_url}/mcp/v1`);
  expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
  const back = new URL(await signInAtProvider(asked.href, subject, REDIRECT));
  expect(back.searchParams.get('error_description')).toBeNull();
  await first.finishAuth(back.searchParams.get('code') ?? '');
  return { authProvider, connect: () => new Client({ name: 'test', version: '1' }).connect(open()), open };
}

it('a client finds the provider, signs in there and works with the rights of the user', async () => {
  const ada = await makeUser(test.db, { is_superuser: true });
  await giveIdentity(test.db, ada.user_id, { issuer: provider.issuer, subject: 'ada' });
  const { open, authProvider } = await signIn('ada');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(open());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('list_connections');
  await client.close();
  const token = authProvider.kept.tokens?.access_token ?? '';
  expect((await test.call('GET /api/v1/connections', { token })).status).toBe(401);
});

it('a person who never signed in here is told to', async () => {
  const { connect } = await signIn('eve');
  await expect(connect()).rejects.toThrow(/Sign in once in the browser/);
});
