// The own sessions and sign-ins over HTTP: what is seen of them, and that nobody ends those of another.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken } from '../../testing/access/actors.ts';
import { authProcess, CHEAP_COST, GOOD_PASSWORD, usualLimits } from '../../testing/access/auth.ts';
import { type Answer, startTestApi, type TestApi } from '../../testing/api.ts';
import { sharedPart, vaultOf } from '../../testing/rooms/parts.ts';
import { authRoutes } from './auth.routes.ts';
import { createAuth } from './auth.service.ts';
import { listOwnSessions } from './own-sessions.service.ts';
import { createPasswords } from './passwords.ts';

const SESSIONS = 'GET /api/v1/user/sessions';
const SIGN_INS = 'GET /api/v1/user/sign-ins';
const authOf = sharedPart(async (parts) =>
  createAuth({
    limits: usualLimits,
    ai_enabled: () => false,
    max_iterations: 5,
    passwords: createPasswords({ cost: CHEAP_COST }),
    vault: await vaultOf(parts),
  }),
);

let test: TestApi;
let anna: number;
beforeAll(async () => {
  test = await startTestApi({
    rooms: [async (parts) => authRoutes(await authOf(parts))],
    config: { trustedProxies: ['127.0.0.1'] },
  });
  const here = authProcess(test.db);
  anna = await here.person('anna');
  await here.person('bert');
});
afterAll(() => test.close());

const login = (username: string, from: string, password = GOOD_PASSWORD) =>
  test.call('POST /api/v1/auth/login', {
    headers: { 'x-forwarded-for': from },
    body: { username, password },
  });
const cookieOf = (answer: Answer) =>
  /^session_token=([^;]*)/.exec(answer.headers['set-cookie'] ?? '')?.[1] ?? '';
const listed = async (request: string, cookie: string, member: string): Promise<unknown[]> =>
  Object((await test.call(request, { cookie })).body)[member];
const isIn = async (cookie: string) =>
  Object((await test.call('GET /api/v1/user/info', { cookie })).body).authenticated;

describe('own sessions', () => {
  it('are listed with where they came from, and end one by one', async () => {
    const laptop = cookieOf(await login('anna', '198.51.100.1'));
    const phone = cookieOf(await login('anna', '198.51.100.2'));
    const other = cookieOf(await login('bert', '198.51.100.3'));
    const sessions = await listed(SESSIONS, laptop, 'sessions');
    expect(sessions).toMatchObject([
      { is_current: false, opened_with: 'password', address: '198.51.100.2' },
      { is_current: true, opened_with: 'password', address: '198.51.100.1' },
    ]);
    const { id } = Object(sessions[0]);
    const end = (cookie: string, session: unknown) =>
      test.call(`DELETE /api/v1/user/sessions/${session}`, { cookie });
    expect(await end(other, id)).toMatchObject({
      status: 404,
      error: 'You have no such session. It may have ended already.',
    });
    expect(await isIn(phone)).toBe(true);
    expect(await end(laptop, id)).toMatchObject({ status: 200, body: { message: 'The session has ended.' } });
    expect([await isIn(phone), await isIn(laptop), await isIn(other)]).toEqual([false, true, true]);
    expect((await end(laptop, id)).status).toBe(404);
    const row = await test.db.one(sql`/* test.audited */
      select actor_name, target_name, details
      from matriarch.audit_events
      where action = 'session.delete' and details ? 'ended_session'`);
    expect(row).toEqual({ actor_name: 'anna', target_name: 'anna', details: { ended_session: id } });
  });

  it('say when they were last used, and end where they were not for long', async () => {
    const carl = await authProcess(test.db).person('carl');
    const cookie = cookieOf(await login('carl', '198.51.100.6'));
    await login('carl', '198.51.100.7');
    await test.db.run(sql`/* test.past */
      update matriarch.sessions set created_at = now() - interval '2 hours' where user_id = ${carl}`);
    await test.db.run(sql`/* test.used */
      update matriarch.sessions set last_used_at = now() - interval '2 minutes'
      where id = (select min(s.id) from matriarch.sessions s where s.user_id = ${carl})`);
    expect(await listed(SESSIONS, cookie, 'sessions')).toHaveLength(2);
    const principal = { ...authProcess(test.db).ctx.principal, user_id: carl };
    const left = await listOwnSessions(
      { ...authProcess(test.db).ctx, clock: systemClock, principal },
      3_600_000,
    );
    expect(left).toHaveLength(1);
    expect(Date.now() - Date.parse(left[0]?.last_used_at ?? '')).toBeGreaterThan(100_000);
  });

  it('that have run out are not listed', async () => {
    const gone = cookieOf(await login('bert', '198.51.100.4'));
    const cookie = cookieOf(await login('bert', '198.51.100.5'));
    const before = await listed(SESSIONS, cookie, 'sessions');
    await test.db.run(sql`/* test.expire */
      update matriarch.sessions set expires_at = now() - interval '1 second'
      where id = ${Object(before[1]).id}`);
    expect(await isIn(gone)).toBe(false);
    expect(await listed(SESSIONS, cookie, 'sessions')).toHaveLength(before.length - 1);
  });

  it('are of sessions alone: a token lists and ends none', async () => {
    const token = await makeToken(test.db, anna);
    for (const request of [SESSIONS, SIGN_INS, 'DELETE /api/v1/user/sessions/1'])
      expect(await test.call(request, { token })).toMatchObject({
        status: 403,
        error: 'This needs a session; API tokens cannot do it.',
      });
    expect((await test.call(SESSIONS)).status).toBe(401);
  });
});

describe('own sign-ins', () => {
  it('are listed newest first, refused ones with the reason, and those of others are not', async () => {
    await login('anna', '203.0.113.66', 'not the password');
    await login('anna', '203.0.113.66', 'not that one');
    await test.refusals.flush();
    const cookie = cookieOf(await login('anna', '198.51.100.7'));
    const all = await listed(SIGN_INS, cookie, 'sign_ins');
    expect(all.slice(0, 2)).toEqual([
      {
        at: expect.any(String),
        outcome: 'ok',
        opened_with: 'password',
        address: '198.51.100.7',
        reason: null,
        occurrences: 1,
      },
      {
        at: expect.any(String),
        outcome: 'refused',
        opened_with: null,
        address: '203.0.113.66',
        reason: 'The user name or password is not right.',
        occurrences: 2,
      },
    ]);
    expect(await listed(`${SIGN_INS}?limit=1`, cookie, 'sign_ins')).toHaveLength(1);
    const mine = await listed(SIGN_INS, cookieOf(await login('bert', '198.51.100.8')), 'sign_ins');
    expect(JSON.stringify(mine)).not.toContain('203.0.113.66');
  });
});
