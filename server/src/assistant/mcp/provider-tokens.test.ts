// Access tokens of providers at /mcp/v1, hostile ones too: whom they let in, what the others are answered, and what the audit log has.
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requireAccount } from '../../identity/auth/accounts.service.ts';
import { bindIdentity } from '../../identity/oidc/oidc.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { authProcess } from '../../testing/access/auth.ts';
import type { Answer } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { type HostileProvider, startHostileProvider } from '../../testing/oidc/hostile-provider.ts';
import { giveIdentity, startMcpApi } from '../../testing/oidc/mcp-api.ts';
import { sendRaw } from '../../testing/oidc/raw-request.ts';
import { begin, finish } from '../../testing/oidc/sign-on-api.ts';
import type { WholeApi } from '../../testing/rooms/whole.ts';

const BASE_URL = 'https://example.com/matriarch';
const RESOURCE = `${BASE_URL}/mcp/v1`;
const WHERE = `resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/mcp/v1"`;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const seconds = () => Math.floor(Date.now() / 1000);

let [one, two, three]: HostileProvider[] = [];
let test: WholeApi;
let ada: Actor;
let port = 0;
const clock = manualClock(systemClock.now());

const provider = (which: HostileProvider | undefined): HostileProvider => which ?? expect.fail('no provider');

beforeAll(async () => {
  [one, two, three] = await Promise.all([1, 2, 3].map(() => startHostileProvider()));
  const flags = (name: string, { issuer }: HostileProvider) => [
    ...[`--auth-${name}-issuer`, issuer, `--auth-${name}-client-id`, 'matriarch'],
    ...[`--auth-${name}-label`, `Account ${name}`],
  ];
  test = await startMcpApi({
    base_url: BASE_URL,
    config: { basePath: '/matriarch' },
    clock,
    flags: [
      ...flags('oidc', provider(one)),
      ...['--auth-oidc-mcp-sign-in', 'true'],
      ...flags('oidc-2', provider(two)),
      ...['--auth-oidc-2-mcp-sign-in', 'true', '--auth-oidc-2-mcp-audience', 'api://matriarch'],
      ...['--auth-oidc-2-mcp-scopes', 'matriarch:read'],
      ...flags('oidc-3', provider(three)),
    ],
  });
  ({ port } = await test.api.listen());
  ada = await makeUser(test.db);
  await giveIdentity(test.db, ada.user_id, { issuer: provider(one).issuer, subject: 'ada' });
});
afterAll(async () => {
  await test?.close();
  await Promise.all([one, two, three].map((each) => each?.stop()));
});

const USUAL = { claims: {}, signs: undefined, isAway: false, keysText: undefined, header: { typ: 'at+jwt' } };
beforeEach(() => {
  for (const each of [one, two, three]) Object.assign(provider(each), USUAL);
  clock.advance(20_000);
});

function claims(change: Record<string, unknown> = {}): Record<string, unknown> {
  const [iat, { issuer: iss }] = [seconds(), provider(one)];
  return { iss, aud: RESOURCE, sub: 'ada', client_id: 'a-client', iat, exp: iat + 3600, ...change };
}
const post = (token: string, path = '/mcp/v1') => test.call(`POST ${path}`, { token, body: LIST });
const refusal = ({ status, error, headers }: Answer) => [status, error, headers['www-authenticate']];
const invalid = (sentence: string) => [
  401,
  sentence,
  `Bearer error="invalid_token", scope="matriarch:read", ${WHERE}`,
];

describe('the metadata of the resource', () => {
  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp/v1',
    '/.well-known/oauth-protected-resource/matriarch/mcp/v1',
    '/matriarch/.well-known/oauth-protected-resource/mcp/v1',
  ])('names resource and providers at %s', async (path) => {
    const answer = await sendRaw({ port, request: `GET ${path}` });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        resource: RESOURCE,
        authorization_servers: [provider(one).issuer, provider(two).issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['matriarch:read'],
        resource_name: 'Matriarch',
      },
    ]);
  });

  it('is found from a request without a token; other paths ask for Bearer alone', async () => {
    const answer = await test.call('POST /mcp/v1', { body: LIST });
    expect(refusal(answer)).toEqual([401, 'Sign in first.', `Bearer scope="matriarch:read", ${WHERE}`]);
    expect(Object.keys(Object(answer.body))).toEqual(['error']);
    expect((await test.call('GET /api/v1/mcp/tools')).headers['www-authenticate']).toBe('Bearer');
  });

  it('says on the sign-in page which providers MCP clients can use', async () => {
    const { body } = await test.call('GET /api/v1/auth/options');
    expect(Object(body).providers.map(({ opens_mcp = false }) => opens_mcp)).toEqual([true, true, false]);
  });
});

describe('a token of a provider', () => {
  it('acts with the rights that its user has now, and the audit log says by what', async () => {
    const token = await provider(one).sign(claims());
    const raise = (is_superuser: boolean) =>
      test.db.run(sql`/* test.raise */
        update matriarch.users set is_superuser = ${is_superuser} where id = ${ada.user_id}`);
    for (const isRaised of [false, true, false]) {
      await raise(isRaised);
      const answer = await post(token);
      expect([answer.status, answer.text.includes('"name":"list_connections"')]).toEqual([200, isRaised]);
    }
    const call = { ...LIST, method: 'tools/call', params: { name: 'query_database', arguments: {} } };
    await test.call('POST /mcp/v1', { token, body: call });
    await test.refusals.flush();
    const rows = await test.db.rows(sql`/* test.audit */
      select distinct e.via, e.actor_name, i.subject
      from matriarch.audit_events e join matriarch.user_identities i on i.id = e.via_id
      where e.actor_id = ${ada.user_id}`);
    expect(rows).toEqual([{ via: 'provider_token', actor_name: ada.username, subject: 'ada' }]);
  });

  it('is that of a program, bound to a service account, which signs in nowhere', async () => {
    const program = await makeUser(test.db);
    await test.db.run(sql`/* test.program */
      update matriarch.users set is_service_account = true where id = ${program.user_id}`);
    const identity = { issuer: provider(one).issuer, subject: 'nightly-report' };
    const { ctx } = authProcess(test.db);
    await bindIdentity(ctx, await requireAccount(ctx, program.user_id), identity);
    const token = await provider(one).sign(claims({ sub: 'nightly-report' }));
    expect((await post(token)).status).toBe(200);
    const begun = await begin(test);
    provider(one).claims = { sub: 'nightly-report' };
    const answer = await finish(test, begun, { answer: provider(one).answer(begun.url) });
    expect([answer.status, answer.error]).toEqual([
      401,
      'This account here is one for programs, which cannot sign in.',
    ]);
  });

  it('is taken as plain JWT with the audience among others, as common providers send it', async () => {
    provider(one).header = { typ: 'JWT' };
    const token = await provider(one).sign(claims({ aud: ['account', RESOURCE], typ: 'Bearer' }));
    expect((await post(token)).status).toBe(200);
  });

  it('opens nothing else, and is no session', async () => {
    const token = await provider(one).sign(claims());
    const sentence = 'A token of a sign-in provider opens /mcp/v1 only. Use an API token.';
    expect(refusal(await test.call('GET /api/v1/connections', { token }))).toEqual([401, sentence, 'Bearer']);
    const info = await test.call('GET /api/v1/user/info', { token });
    expect(info.body).toEqual({ authenticated: false });
    expect((await test.call('POST /mcp/v1', { cookie: token, body: LIST })).status).toBe(401);
  });

  it('needs the scopes of the settings', async () => {
    const other = { iss: provider(two).issuer, aud: 'api://matriarch', sub: 'bea' };
    await giveIdentity(test.db, ada.user_id, { issuer: other.iss, subject: 'bea' });
    expect(refusal(await post(await provider(two).sign(claims({ ...other, scope: 'openid' }))))).toEqual([
      403,
      'The token of Account oidc-2 lacks the scope matriarch:read.',
      `Bearer error="insufficient_scope", scope="matriarch:read", ${WHERE}`,
    ]);
    for (const scope of [{ scope: 'openid matriarch:read' }, { scp: ['matriarch:read'] }])
      expect((await post(await provider(two).sign(claims({ ...other, ...scope })))).status).toBe(200);
  });

  it('lets in no user who is unknown, disabled, or has that subject at another provider', async () => {
    const stranger = await post(await provider(one).sign(claims({ sub: "o'malley" })));
    expect([stranger.status, stranger.error]).toEqual([
      403,
      expect.stringMatching(/^No enabled user here belongs to your account at Account oidc\. Sign in once/),
    ]);
    const two_aud = { iss: provider(two).issuer, aud: 'api://matriarch', scope: 'matriarch:read' };
    expect((await post(await provider(two).sign(claims(two_aud)))).status).toBe(403);
    const token = await provider(one).sign(claims());
    const enable = (enabled: boolean) =>
      test.db.run(sql`/* test.enable */
        update matriarch.users set enabled = ${enabled} where id = ${ada.user_id}`);
    await enable(false);
    expect((await post(token)).status).toBe(403);
    await enable(true);
    expect((await post(token)).status).toBe(200);
  });
});

describe('a token that is not right', () => {
  it.each<[string, string, Record<string, unknown>, Partial<HostileProvider>?]>([
    ['another audience', 'is for another resource', { aud: 'https://other.example.com/mcp' }],
    ['the audience of a path above', 'is for another resource', { aud: BASE_URL }],
    ['no audience', 'is not valid', { aud: undefined }],
    ['an expired one', 'has expired', { exp: seconds() - 600 }],
    ['one without an end', 'is not valid', { exp: undefined }],
    ['one of the future', 'is not valid yet', { nbf: seconds() + 3600 }],
    ['no subject', 'is not valid', { sub: undefined }],
    ['a subject with NUL', 'names no subject of 1 to 255 ASCII characters', { sub: 'ada\0' }],
    ['alg none', 'is not valid', {}, { signs: 'none' }],
    ['the public key taken for a shared secret', 'is not valid', {}, { signs: 'public key as secret' }],
    ['another key', 'is not valid', {}, { signs: 'another key' }],
    ['an ID token', 'is for another resource', { aud: 'matriarch', nonce: 'n' }, { header: {} }],
    ['an ID token for both', 'is no access token', { aud: ['matriarch', RESOURCE] }, { header: {} }],
    ['an ID token of a nonce', 'is no access token', { nonce: 'n' }, { header: { typ: 'JWT' } }],
    ['a logout token', 'is no access token', {}, { header: { typ: 'logout+jwt' } }],
    ['a refresh token', 'is no access token', { typ: 'Refresh' }, { header: { typ: 'JWT' } }],
    ['one that is bound to a key', 'is bound to a key of its client, which is not supported', { cnf: {} }],
  ])('%s', async (...[, ending, change, hostile = {}]) => {
    Object.assign(provider(one), hostile);
    const answer = await post(await provider(one).sign(claims(change)));
    expect(refusal(answer)).toEqual(invalid(`The token of Account oidc ${ending}.`));
  });

  it('of another issuer, or of a provider that does not open it', async () => {
    for (const iss of ['https://evil.example', provider(three).issuer, undefined])
      expect(refusal(await post(await provider(three).sign(claims({ iss }))))).toEqual(
        invalid('The token is of no provider that is trusted here.'),
      );
    expect((await post(await provider(two).sign(claims()))).error).toBe(
      'The token of Account oidc is not valid.',
    );
  });

  it('by its form: cut, too long, in the query, in two headers', async () => {
    const token = await provider(one).sign(claims());
    expect((await post(token.slice(0, -8))).status).toBe(401);
    expect((await post('eyJ.x.y')).status).toBe(401);
    expect((await post(await provider(one).sign(claims({ fat: 'x'.repeat(9000) })))).error).toBe(
      'The token is over 8192 characters.',
    );
    expect((await test.call(`POST /mcp/v1?access_token=${token}`, { body: LIST })).error).toBe(
      'Sign in first.',
    );
    const header = `Authorization: Bearer ${token}`;
    const json = 'Content-Type: application/json';
    const send = (headers: string[]) =>
      sendRaw({ port, request: 'POST /mcp/v1', headers: [json, ...headers] });
    expect((await send([header])).status).toBe(400);
    expect((await send([header, header])).status).toBe(401);
    expect((await send([`${header}\0`])).status).toBe(400);
    expect((await send([`${header}${'x'.repeat(100_000)}`])).status).toBe(431);
  });

  it('is a refusal in the audit log, without the token', async () => {
    const token = await provider(one).sign(claims({ aud: 'another' }));
    await post(token);
    await test.refusals.flush();
    const { details } = await test.db.one<{ details: unknown }>(sql`/* test.audit */
      select details from matriarch.audit_events
      where outcome = 'refused' and details::text like '%another resource%' order by id desc limit 1`);
    expect(JSON.stringify(details)).not.toContain(token.slice(0, 30));
  });
});

describe('the keys of a provider', () => {
  it('are read again for a new key, but not for each unknown one', async () => {
    await post(await provider(one).sign(claims()));
    clock.advance(20_000);
    await provider(one).rotate();
    const before = provider(one).keyReads;
    expect((await post(await provider(one).sign(claims()))).status).toBe(200);
    expect(provider(one).keyReads).toBe(before + 1);
    const { privateKey } = await generateKeyPair('RS256');
    const forged = (kid: string) =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' }).sign(privateKey);
    for (const kid of ['a', 'b', 'c', 'd', 'e']) expect((await post(await forged(kid))).status).toBe(401);
    expect(provider(one).keyReads).toBe(before + 1);
    clock.advance(20_000);
    const flood = await Promise.all(['f', 'g', 'h'].map(async (kid) => post(await forged(kid))));
    expect(flood.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(provider(one).keyReads).toBe(before + 2);
    expect((await post(await provider(one).sign(claims()))).status).toBe(200);
  });

  it.each<[string, Partial<HostileProvider>]>([
    ['away', { isAway: true }],
    ['huge', { keysText: JSON.stringify({ keys: [], more: 'x'.repeat(2 * 1024 * 1024) }) }],
    ['no JSON', { keysText: '<html>' }],
    ['no keys', { keysText: '{"keys":1}' }],
  ])('where they are %s: 503, and our own tokens work', async (_what, change) => {
    const token = await provider(one).sign(claims());
    clock.advance(11 * 60_000);
    Object.assign(provider(one), change);
    const before = provider(one).keyReads;
    const sentence = 'Cannot reach Account oidc to check the token. Try again in a moment.';
    for (let n = 0; n < 3; n += 1) expect(refusal(await post(token))).toEqual([503, sentence, undefined]);
    expect(provider(one).keyReads - before).toBeLessThanOrEqual(1);
    expect((await post(await makeToken(test.db, ada.user_id))).status).toBe(200);
    Object.assign(provider(one), USUAL);
    clock.advance(20_000);
    expect((await post(token)).status).toBe(200);
  });
});
