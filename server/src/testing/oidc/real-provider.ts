// A certified OpenID Connect provider on loopback, whose people sign in under any name: `oidc-provider` from npm, with its own
// pages of signing in. The claims of a person are what a test says.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RealProvider {
  issuer: string;
  /** By subject; a test may change them. */
  people: Map<string, Record<string, unknown>>;
  stop(): Promise<void>;
}

export interface RealProviderOptions {
  /** Where Matriarch is, as its people reach it. */
  base_url: string;
  secret: string;
  /** An MCP server at this address, whose clients get access tokens for it; their address to come back to. */
  mcp?: { resource: string; redirect_uri: string };
}

const clientOf = ({ base_url, secret }: RealProviderOptions) => ({
  client_id: 'matriarch',
  client_secret: secret,
  redirect_uris: [`${base_url}/sign-in/callback/oidc`],
  post_logout_redirect_uris: [`${base_url}/sign-in`],
  backchannel_logout_uri: `${base_url}/api/v1/auth/providers/oidc/logout`,
  backchannel_logout_session_required: true,
});

/** A native client without a secret, as MCP clients are. */
const mcpClientOf = ({ redirect_uri }: { redirect_uri: string }) => ({
  client_id: 'mcp-client',
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code'],
  redirect_uris: [redirect_uri],
});

/** Access tokens for the MCP server are signed JWTs (RFC 9068), for which clients ask by its address (RFC 8707). */
const resourcesOf = ({ resource }: { resource: string }) => ({
  enabled: true,
  getResourceServerInfo: () => ({
    scope: 'matriarch',
    audience: resource,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }),
});

export async function startRealProvider(options: RealProviderOptions): Promise<RealProvider> {
  const { Provider } = await import('oidc-provider');
  const people: RealProvider['people'] = new Map();
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [clientOf(options), ...(options.mcp ? [mcpClientOf(options.mcp)] : [])],
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'name', 'groups'],
      email: ['email', 'email_verified'],
    },
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      ...(options.mcp && { resourceIndicators: resourcesOf(options.mcp) }),
    },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    people,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser as far as signing in at the provider needs one: cookies, redirects and forms. Answers the address that leads back. */
export async function signInAtProvider(start: string, subject: string, back: string): Promise<string> {
  const cookies = new Map<string, string>();
  let [url, body]: [string, URLSearchParams | undefined] = [start, undefined];
  for (let steps = 0; steps < 12; steps += 1) {
    if (url.startsWith(back)) return url;
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      method: body ? 'POST' : 'GET',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body && { body }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location: string | null = answer.headers.get('location');
    const page = await answer.text();
    if (location !== null) [url, body] = [new URL(location, url).href, undefined];
    else {
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined)
        throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 500)}`);
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      url = new URL(action, url).href;
      body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: subject, password: 'any' }) });
    }
  }
  throw new Error('the provider never led back');
}
