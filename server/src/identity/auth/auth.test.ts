import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { CHEAP_COST, GOOD_PASSWORD, usualLimits } from '../../testing/access/auth.ts';
import { type Answer, startTestApi, type TestApi } from '../../testing/api.ts';
import { sharedPart, vaultOf } from '../../testing/rooms/parts.ts';
import type { Ctx } from '../access/principal.ts';
import { authRoutes } from './auth.routes.ts';
import { createAuth } from './auth.service.ts';
import { createLink } from './links.service.ts';
import { createPasswords } from './passwords.ts';
import { createUser } from './users.service.ts';

const LOGIN = 'POST /api/v1/auth/login';
const INFO = 'GET /api/v1/user/info';
const NEW_PASSWORD = 'lantern orbit staple';

const lines: string[] = [];
const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
const passwords = createPasswords({ cost: CHEAP_COST });
const authOf = sharedPart(async (parts) =>
  createAuth({
    limits: usualLimits,
    ai_enabled: () => true,
    max_iterations: 7,
    passwords,
    vault: await vaultOf(parts),
  }),
);

let test: TestApi;
let ctx: Ctx;
beforeAll(async () => {
  test = await startTestApi({
    rooms: [async (parts) => authRoutes(await authOf(parts))],
    log,
    config: { trustedProxies: ['127.0.0.1'] },
  });
  ctx = {
    db: test.db,
    clock: systemClock,
    log,
    signal: new AbortController().signal,
    principal: {
      user_id: 0,
      username: 'test',
      is_superuser: true,
      admin_permissions: ['*'],
      via: { kind: 'system', id: 0 },
      scope: undefined,
    },
  };
});
afterAll(() => test.close());

let address = 0;
/** A call from an address of its own, so that limits of one test never meet another. */
const from = (request: string, body?: unknown, headers: Record<string, string> = {}) => {
  address += 1;
  return test.call(request, {
    headers: { 'x-forwarded-for': `198.51.100.${address}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
};

async function person(username: string, password: string | null = GOOD_PASSWORD): Promise<void> {
  await createUser(ctx, passwords, {
    username,
    password: password === null ? undefined : new Secret(password),
    is_superuser: false,
    is_service_account: false,
  });
}

const tokenOf = (answer: Answer) =>
  /^session_token=([^;]*)/.exec(answer.headers['set-cookie'] ?? '')?.[1] ?? '';

async function signIn(username: string, password = GOOD_PASSWORD): Promise<string> {
  const answer = await from(LOGIN, { username, password });
  expect(answer.status).toBe(200);
  return tokenOf(answer);
}

describe('login', () => {
  it('answers when the session ends, and gives the token only in a cookie', async () => {
    await person('ada');
    const answer = await from(LOGIN, { username: 'ada', password: GOOD_PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, expires_at: expect.any(String), message: 'Signed in.' });
    const cookie = answer.headers['set-cookie'] ?? '';
    expect(cookie).toMatch(/^session_token=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+ GMT$/);
    const expires = Date.parse(/Expires=(.*)$/.exec(cookie)?.[1] ?? '');
    expect(new Date(expires).toUTCString()).toBe(new Date(JSON.parse(answer.text).expires_at).toUTCString());
    const token = tokenOf(answer);
    expect(answer.text).not.toContain(token);
    expect((await test.call(INFO, { token })).body).toMatchObject({ username: 'ada' });
    expect((await test.call(INFO, { cookie: token })).body).toMatchObject({ username: 'ada' });
  });

  it('marks the cookie Secure behind a proxy that reports https', async () => {
    await person('tls');
    const body = { username: 'tls', password: GOOD_PASSWORD };
    const answer = await from(LOGIN, body, { 'x-forwarded-proto': 'https' });
    expect(answer.headers['set-cookie']).toContain('; Secure');
  });

  it('reads the same for every account that cannot sign in', async () => {
    await person('known');
    const wrong = await from(LOGIN, { username: 'known', password: 'not the password' });
    const nobody = await from(LOGIN, { username: 'nobody', password: 'not the password' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({ error: 'The user name or password is not right.' });
    expect(wrong.headers).toMatchObject({
      'www-authenticate': 'Bearer',
      'content-length': nobody.headers['content-length'],
    });
    expect(wrong.headers['set-cookie']).toBeUndefined();
    expect([nobody.status, nobody.text]).toEqual([401, wrong.text]);
  });

  it('ends the session that the browser brought along, and no other', async () => {
    await person('again');
    const [brought, other] = [await signIn('again'), await signIn('again')];
    const isIn = async (token: string) => Object((await test.call(INFO, { token })).body).authenticated;
    const body = { username: 'again', password: GOOD_PASSWORD };
    const headers = { cookie: `session_token=${brought}` };
    expect((await from(LOGIN, { ...body, password: 'not the right one' }, headers)).status).toBe(401);
    expect(await isIn(brought)).toBe(true);
    const opened = tokenOf(await from(LOGIN, body, headers));
    expect([await isIn(brought), await isIn(other), await isIn(opened)]).toEqual([false, true, true]);
    const row = await test.db.one(sql`/* test.audited */
      select details from matriarch.audit_events where action = 'session.delete' and target_name = 'again'`);
    expect(row).toEqual({ details: { by: 'new_session' } });
  });

  it.each([
    [{}, 'username'],
    [{ username: '', password: 'x' }, 'username'],
    [{ username: 'x', password: '' }, 'password'],
    [{ username: 'x' }, 'password'],
    [{ username: 1, password: 'x' }, 'username'],
    [{ username: 'x', password: null }, 'password'],
    [{ username: 'x'.repeat(256), password: 'x' }, 'username'],
  ])('is 400 for %j', async (body, member) => {
    const answer = await from(LOGIN, body);
    expect(answer.status).toBe(400);
    expect(answer.error).toContain(member);
  });

  it('is 429 with Retry-After after ten failures from one address', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.200' };
    const guess = () => from(LOGIN, { username: 'nobody-else', password: 'wrong guess' }, headers);
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push(await guess());
    expect(statuses.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
    const last = statuses.at(-1);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(60);
    expect(last?.error).toMatch(/^Too many attempts to sign in\. Try again in \d+ minutes\.$/);
  });
});

describe('the session', () => {
  it('ends by logout, which clears the cookie and is 200 for anybody', async () => {
    await person('leaving');
    const token = await signIn('leaving');
    for (const call of [{ cookie: token }, { cookie: token }, {}, { token: 'nonsense' }]) {
      const answer = await test.call('POST /api/v1/auth/logout', call);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ success: true, message: 'Signed out.' });
      expect(answer.headers['set-cookie']).toBe('session_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    }
    expect((await test.call(INFO, { token })).body).toEqual({ authenticated: false });
    expect((await test.call('GET /api/v1/capabilities', { token })).status).toBe(401);
  });

  it('is another one than an API token, which logout leaves alone', async () => {
    const owner = await makeUser(test.db);
    const token = await makeToken(test.db, owner.user_id);
    expect((await test.call('POST /api/v1/auth/logout', { token })).status).toBe(200);
    expect((await test.call(INFO, { token })).body).toMatchObject({ username: owner.username });
  });
});

describe('several session cookies in one request', () => {
  const sent = (...tokens: string[]) => ({
    headers: { cookie: ['theme=dark', ...tokens.map((token) => `session_token=${token}`)].join('; ') },
  });

  it('counts the first one that is valid, so that one left by another path signs nobody out', async () => {
    await person('kim');
    const good = await signIn('kim');
    for (const cookies of [sent('stale', good), sent(good, 'stale'), sent('', 'not*ours', 'stale', good)])
      expect((await test.call(INFO, cookies)).body).toMatchObject({ username: 'kim' });
    const { session } = test.actors.owner;
    expect((await test.call(INFO, sent(good, session))).body).toMatchObject({ username: 'kim' });
    expect((await test.call('GET /api/v1/user/sessions', sent('stale', good))).status).toBe(200);
    expect((await test.call('GET /api/v1/user/sessions', sent('stale', 'older'))).status).toBe(401);
  });

  it('ends the one that was valid by logout, and reads no more than four', async () => {
    await person('lee');
    const good = await signIn('lee');
    const fifth = await test.call(INFO, sent('a', 'b', 'c', 'd', good));
    expect(fifth.body).toEqual({ authenticated: false });
    await test.call('POST /api/v1/auth/logout', sent('stale', good));
    expect((await test.call(INFO, { cookie: good })).body).toEqual({ authenticated: false });
  });
});

describe('user information', () => {
  it('is exactly {"authenticated": false} for nobody', async () => {
    for (const call of [
      {},
      { token: 'nonsense' },
      { cookie: 'nonsense' },
      { headers: { authorization: 'Basic x' } },
    ]) {
      const answer = await test.call(INFO, call);
      expect([answer.status, answer.text]).toEqual([200, '{"authenticated":false}']);
    }
  });

  it('tells who is signed in and what a token leaves of it', async () => {
    const { superuser } = test.actors;
    const { user_id, username } = superuser;
    const whole = { authenticated: true, user_id, username, has_password: false };
    expect((await test.call(INFO, { token: superuser.session })).body).toEqual({
      ...whole,
      is_superuser: true,
      admin_permissions: ['*'],
    });
    const token = await makeToken(test.db, superuser.user_id, { scope: { admin: ['manage_users'] } });
    expect((await test.call(INFO, { token })).body).toEqual({
      ...whole,
      is_superuser: false,
      admin_permissions: ['manage_users'],
    });
  });
});

describe('capabilities', () => {
  it('are for callers with a token', async () => {
    expect((await test.call('GET /api/v1/capabilities')).status).toBe(401);
    const answer = await test.call('GET /api/v1/capabilities', { token: test.actors.other.session });
    expect(answer.body).toEqual({ ai_enabled: true, max_iterations: 7 });
  });
});

describe('a one-time link', () => {
  it('signs in once; then the account gets its password', async () => {
    await person('newcomer', null);
    const { token } = await createLink(ctx, 'newcomer');
    const answer = await from('POST /api/v1/auth/link', { token: token.reveal() });
    expect(answer.status).toBe(200);
    expect((await from('POST /api/v1/auth/link', { token: token.reveal() })).status).toBe(401);

    const session = tokenOf(answer);
    const change = (body: unknown) => test.call('PUT /api/v1/user/password', { token: session, body });
    expect((await change({ new_password: 'password1234' })).error).toMatch(/too easy to guess/);
    expect(await change({ new_password: NEW_PASSWORD })).toMatchObject({
      status: 200,
      body: { message: 'Password changed.' },
    });
    expect(await signIn('newcomer', NEW_PASSWORD)).toMatch(/^[\w-]{43}$/);
  });
});

describe('the own password', () => {
  it('changes for a session that knows the current one', async () => {
    await person('careful');
    const [own, other] = [await signIn('careful'), await signIn('careful')];
    const change = (body: unknown) => test.call('PUT /api/v1/user/password', { cookie: own, body });
    expect((await change({})).status).toBe(400);
    expect((await change({ new_password: NEW_PASSWORD })).status).toBe(400);
    expect(await change({ current_password: 'not the password', new_password: NEW_PASSWORD })).toMatchObject({
      status: 403,
      error: 'The current password is not right.',
    });
    expect((await change({ current_password: GOOD_PASSWORD, new_password: NEW_PASSWORD })).status).toBe(200);
    expect((await test.call(INFO, { token: own })).body).toMatchObject({ authenticated: true });
    expect((await test.call(INFO, { token: other })).body).toEqual({ authenticated: false });
  });

  it('is out of reach for API tokens', async () => {
    const owner = await makeUser(test.db);
    const token = await makeToken(test.db, owner.user_id);
    const answer = await test.call('PUT /api/v1/user/password', {
      token,
      body: { new_password: NEW_PASSWORD },
    });
    expect(answer.status).toBe(403);
  });
});

describe('secrets', () => {
  it('never reach the log through the API', async () => {
    await person('quiet');
    const token = await signIn('quiet');
    await from(LOGIN, { username: 'quiet', password: 'canary-password-wrong' });
    await from('POST /api/v1/auth/link', { token: 'mlk_canary-link' });
    await test.call(INFO, { token: 'canary-bearer' });
    const logged = lines.join('');
    expect(logged).toContain('auth.signed_in');
    for (const secret of [token, GOOD_PASSWORD, NEW_PASSWORD, 'canary-'])
      expect(logged).not.toContain(secret);
  });
});
