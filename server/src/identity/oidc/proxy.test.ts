// Signing in by the header of a reverse proxy, over real sockets: who comes in, with which rights, and what does not let anyone in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { authProcess } from '../../testing/access/auth.ts';
import type { TestApi } from '../../testing/api.ts';
import { groupsOf } from '../../testing/oidc/groups-of.ts';
import { type RawAnswer, sendRaw } from '../../testing/oidc/raw-request.ts';
import { startSignOnApi } from '../../testing/oidc/sign-on-api.ts';
import { requireAccount } from '../auth/accounts.service.ts';
import { bindIdentity, unbindIdentity } from './oidc.service.ts';

const SIGN_IN = 'POST /api/v1/auth/proxy';
const STRANGER = '127.0.0.2';
const FLAGS = {
  'user-header': 'X-Remote-User',
  addresses: '127.0.0.1',
  'groups-header': 'X-Remote-Groups',
  groups: 'dba=Operators,Überwachung=Readers',
  superusers: 'root',
  'create-users': 'true',
  label: 'Example proxy',
  'sign-out-url': 'https://sso.example.com/sign-out',
};
const flagsOf = (flags: object) =>
  Object.entries(flags).flatMap(([name, value]) => [`--auth-proxy-${name}`, String(value)]);

let test: TestApi;
let port: number;
const lines: string[] = [];
const log = createLog({
  level: 'info',
  destination: { write: (line) => void lines.push(line) },
});

beforeAll(async () => {
  const flags = [...flagsOf(FLAGS), '--auth-local-sign-in', 'superusers'];
  const config = { trustedProxies: ['127.0.0.0/8'] };
  test = await startSignOnApi(flags, undefined, { config, log });
  ({ port } = await test.api.listen());
  for (const name of ['Operators', 'Readers'])
    await test.call('POST /api/v1/rbac/groups', { token: test.actors.superuser.session, body: { name } });
});
afterAll(() => test?.close());

const signIn = (headers: readonly string[], from?: string) =>
  sendRaw({ port, request: SIGN_IN, headers, ...(from !== undefined && { from }) });
const errorOf = ({ body }: RawAnswer) => String(Object(body).error);
const sessionOf = ({ head }: RawAnswer) => /set-cookie: session_token=([\w-]+)/i.exec(head)?.[1] ?? '';
const info = async (answer: RawAnswer) =>
  (await test.call('GET /api/v1/user/info', { cookie: sessionOf(answer) })).body;
const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('a header of the proxy', () => {
  it('creates the user at the first sign-in and gives groups and rights anew at each', async () => {
    const first = await signIn(['X-Remote-User: anna', latin1('X-Remote-Groups: Überwachung, root ,other')]);
    expect([first.status, first.body]).toMatchObject([200, { success: true }]);
    expect(first.head).toMatch(
      /set-cookie: session_token=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/i,
    );
    expect(await info(first)).toMatchObject({ username: 'anna', is_superuser: true, by_provider: true });
    expect(await groupsOf(test.db, 'anna')).toEqual(['Readers']);
    const second = await signIn(['x-remote-user: anna', 'x-remote-groups: dba']);
    expect(await info(second)).toMatchObject({ username: 'anna', is_superuser: false });
    expect(await groupsOf(test.db, 'anna')).toEqual(['Operators']);
    const cookie = sessionOf(second);
    const sessions = await test.call('GET /api/v1/user/sessions', { cookie });
    expect(sessions.body).toMatchObject({ sessions: [{ opened_with: 'proxy' }, { opened_with: 'proxy' }] });
    const signIns = await test.call('GET /api/v1/user/sign-ins', { cookie });
    expect(signIns.body).toMatchObject({ sign_ins: [{ outcome: 'ok', opened_with: 'proxy' }, {}] });
    await signIn(['X-Remote-User: anna']);
    expect(await groupsOf(test.db, 'anna')).toEqual([]);
  });

  it('never takes over a user of that name, whom the command line can bind and unbind', async () => {
    const { user_id } = test.actors.owner;
    const { ctx } = authProcess(test.db);
    const user = await requireAccount(ctx, user_id);
    const headers = [`X-Remote-User: ${user.username}`];
    const refused = await signIn(headers);
    expect([refused.status, sessionOf(refused)]).toEqual([401, '']);
    expect(errorOf(refused)).toContain(
      `user identity ${user.username} --issuer 'proxy' --subject '${user.username}'`,
    );
    const identity = { issuer: 'proxy', subject: user.username };
    await bindIdentity(ctx, user, identity);
    const answer = await signIn(headers);
    expect(await info(answer)).toMatchObject({ user_id });
    await unbindIdentity(ctx, user, identity);
    expect(await info(answer)).toEqual({ authenticated: false });
  });

  it('keeps out who is disabled, and whose name cannot be a user name', async () => {
    await signIn(['X-Remote-User: dora']);
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'dora'`,
    );
    expect(errorOf(await signIn(['X-Remote-User: dora']))).toMatch(/disabled/);
    expect(errorOf(await signIn(['X-Remote-User: EXAMPLE\\eve']))).toMatch(/cannot be a user name here/);
  });

  it('leads to the sign-out of the proxy, and leaves passwords to superusers', async () => {
    const cookie = sessionOf(await signIn(['X-Remote-User: otto']));
    const answer = await test.call('POST /api/v1/auth/logout', { cookie });
    expect(answer.body).toMatchObject({ end_session_url: 'https://sso.example.com/sign-out' });
    expect((await test.call('GET /api/v1/user/info', { cookie })).body).toEqual({ authenticated: false });
    const password = 'staple giraffe orbit';
    const { id } = await test.db.one<{ id: number }>(
      sql`/* test.id */ select id from matriarch.users where username = 'otto'`,
    );
    const token = test.actors.superuser.session;
    await test.call(`PUT /api/v1/rbac/users/${id}`, { token, body: { password } });
    const login = await test.call('POST /api/v1/auth/login', { body: { username: 'otto', password } });
    expect(login.error).toMatch(/Only superusers .* Sign in with Example proxy/);
  });
});

describe('what does not let anyone in', () => {
  it.each([
    ['no header', [], /sent no user name/],
    ['an empty header', ['X-Remote-User:'], /sent no user name/],
    ['a header of spaces', ['X-Remote-User:    '], /sent no user name/],
    ['two headers', ['X-Remote-User: anna', 'x-remote-user: eve'], /more than one user name/],
    ['one header twice', ['X-Remote-User: anna', 'X-Remote-User: anna'], /more than one user name/],
    ['two headers, one empty', ['X-Remote-User:', 'X-Remote-User: anna'], /more than one user name/],
    ['a list', ['X-Remote-User: anna, eve'], /more than one user name/],
    ['a header with _', ['X_Remote_User: anna'], /sent no user name/],
    ['UTF-8', [latin1('X-Remote-User: änna')], /1 to 255 ASCII characters/],
    ['a tab in the name', ['X-Remote-User: an\tna'], /1 to 255 ASCII characters/],
    ['a name that is too long', [`X-Remote-User: ${'a'.repeat(256)}`], /1 to 255 ASCII characters/],
    [
      'groups twice',
      ['X-Remote-User: anna', 'X-Remote-Groups: dba', 'X-Remote-Groups: root'],
      /came more than/,
    ],
  ])('%s', async (_name, headers, sentence) => {
    const answer = await signIn(headers);
    expect([answer.status, sessionOf(answer)]).toEqual([401, '']);
    expect(errorOf(answer)).toMatch(sentence);
  });

  it.each(['X-Remote-User: an\r\n na', 'X-Remote-User: an\nX-Other: na', 'X-Remote-User: an\0na'])(
    'line ends and NUL in the header: %j',
    async (header) => {
      const answer = await signIn([header]);
      expect([answer.status, sessionOf(answer)]).toEqual([400, '']);
    },
  );

  it('another address, whatever it says of forwarding, which the log says once', async () => {
    const spoofed = ['X-Remote-User: anna', 'X-Forwarded-For: 127.0.0.1', 'Forwarded: for=127.0.0.1'];
    for (const headers of [spoofed, ['X-Remote-User: anna', 'X-Real-IP: 127.0.0.1'], []]) {
      const answer = await signIn(headers, STRANGER);
      expect([answer.status, sessionOf(answer)]).toEqual([401, '']);
      expect(errorOf(answer)).toMatch(/open the page through its proxy/);
    }
    const options = await sendRaw({
      port,
      from: STRANGER,
      request: 'GET /api/v1/auth/options',
      headers: spoofed,
    });
    expect(options.body).toMatchObject({ proxy: { label: 'Example proxy', is_ready: false } });
    const ignored = lines.filter((line) => line.includes('auth.proxy_header_ignored'));
    expect(ignored.map((line) => JSON.parse(line))).toMatchObject([{ address: STRANGER }]);
  });

  it('the header counts for nothing but signing in', async () => {
    const headers = ['X-Remote-User: anna'];
    const read = await sendRaw({ port, request: 'GET /api/v1/user/sessions', headers });
    expect(read.status).toBe(401);
    const options = await sendRaw({ port, request: 'GET /api/v1/auth/options', headers });
    expect(options.body).toMatchObject({ local_sign_in: 'superusers', proxy: { is_ready: true } });
  });

  it('a session of another person than the proxy names now', async () => {
    const cookie = (token: string) => `Cookie: session_token=${token}`;
    const who = async (headers: readonly string[], from = '127.0.0.1') =>
      Object((await sendRaw({ port, from, request: 'GET /api/v1/user/info', headers })).body).username;
    const own = cookie(sessionOf(await signIn(['X-Remote-User: anna'])));
    expect(await who([own, 'X-Remote-User: anna'])).toBe('anna');
    expect(await who([own])).toBe('anna');
    expect(await who([own, 'X-Remote-User: bert'])).toBeUndefined();
    expect(await who([own, 'X-Remote-User: anna', 'X-Remote-User: bert'])).toBeUndefined();
    const write = await sendRaw({
      port,
      request: 'PUT /api/v1/user/password',
      headers: [own, 'X-Remote-User: bert'],
    });
    expect(write.status).toBe(401);
    // From elsewhere the header is ignored, and sessions of passwords and tokens have nothing to do with it.
    expect(await who([own, 'X-Remote-User: bert'], STRANGER)).toBe('anna');
    const { session, username } = test.actors.owner;
    expect(await who([cookie(session), 'X-Remote-User: bert'])).toBe(username);
    expect(await who([`Authorization: Bearer ${session}`, 'X-Remote-User: bert'])).toBe(username);
  });

  it('pages of other sites, also where the proxy passes Authorization on', async () => {
    const foreign = ['X-Remote-User: anna', 'Sec-Fetch-Site: cross-site', 'Origin: https://evil.example'];
    for (const headers of [foreign, [...foreign, 'Authorization: Basic YW5uYTpzZWNyZXQ=']]) {
      const answer = await signIn(headers);
      expect([answer.status, errorOf(answer)]).toEqual([403, 'Writes from another site are not allowed.']);
    }
    const session = sessionOf(await signIn(['X-Remote-User: anna', 'Sec-Fetch-Site: same-origin']));
    const cookie = `Cookie: session_token=${session}`;
    const write = await sendRaw({ port, request: 'POST /api/v1/auth/logout', headers: [...foreign, cookie] });
    expect(write.status).toBe(403);
  });

  it('a server without the setting', async () => {
    const plain = await startSignOnApi([]);
    try {
      const headers = { 'x-remote-user': 'anna' };
      expect((await plain.call(SIGN_IN, { headers })).status).toBe(404);
      expect((await plain.call('GET /api/v1/auth/options', { headers })).body).not.toHaveProperty('proxy');
    } finally {
      await plain.close();
    }
  });
});
