// S7, S8, S10, S21: two real API processes on one datastore know the same of everybody. What one of them ends, grants or
// counts, the other knows at its next request; what one dies with, the other still has.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyAudit } from './areas/audit/verify.service.ts';
import { createPasswords } from './areas/auth/passwords.ts';
import { Secret } from './kernel/secret.ts';
import { sql } from './kernel/sql.ts';
import { makeConnection, makeSession, makeToken, makeUser } from './testing/access/actors.ts';
import { CHEAP_COST, GOOD_PASSWORD } from './testing/access/auth.ts';
import { makeGroup } from './testing/access/groups.ts';
import { type ApiProcess, newKeyFile, startApiProcess } from './testing/api-process.ts';
import { type TestDatabase, testDatabase } from './testing/servers/database.ts';

let test: TestDatabase;
let keyFile: string;
let first: ApiProcess;
let second: ApiProcess;

beforeAll(async () => {
  test = await testDatabase();
  keyFile = newKeyFile();
  first = await startApiProcess(test, keyFile);
  second = await startApiProcess(test, keyFile);
}, 60_000);
afterAll(async () => {
  await Promise.all([first.child.kill('SIGKILL'), second.child.kill('SIGKILL')]);
  await test.close();
});

interface Asked {
  token?: string;
  body?: object;
}

async function ask({ url }: ApiProcess, line: string, { token, body }: Asked = {}) {
  const [method = 'GET', target = '/'] = line.split(' ');
  const response = await fetch(`${url}${target}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const session = /session_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return { status: response.status, text, session };
}

const signIn = (where: ApiProcess, username: string, password: string) =>
  ask(where, 'POST /api/v1/auth/login', { body: { username, password } });
/** 200 where the token is good, 401 where it is not. */
const known = async (where: ApiProcess, token: string) =>
  (await ask(where, 'GET /api/v1/capabilities', { token })).status;

async function person(options: { is_superuser?: boolean } = {}) {
  const made = await makeUser(test.db, options);
  const hash = await createPasswords({ cost: CHEAP_COST }).hash(new Secret(GOOD_PASSWORD));
  await test.db.run(sql`/* test.password */
    update matriarch.users set password_hash = ${hash} where id = ${made.user_id}`);
  return made;
}

it('a process writes no line for each request, unless it is told to', async () => {
  const level = ['--log-level', 'info'];
  const [quiet, told] = await Promise.all([
    startApiProcess(test, keyFile, level),
    startApiProcess(test, keyFile, [...level, '--log-requests']),
  ]);
  try {
    for (const one of [quiet, told]) expect((await ask(one, 'GET /health')).status).toBe(200);
    await expect.poll(() => told.child.errors()).toContain('"event":"http.request"');
    // Its log is written: what it said at its start stands there.
    expect(quiet.child.errors()).toContain('"event":"app.started"');
    expect(quiet.child.errors()).not.toContain('http.request');
  } finally {
    await Promise.all([quiet.child.kill('SIGKILL'), told.child.kill('SIGKILL')]);
  }
}, 60_000);

it('S8 a session that one opened is good at the other, until either ends it', async () => {
  const { username } = await person();
  const { session } = await signIn(first, username, GOOD_PASSWORD);
  expect([await known(first, session), await known(second, session)]).toEqual([200, 200]);
  expect((await ask(second, 'POST /api/v1/auth/logout', { token: session })).status).toBe(200);
  expect([await known(first, session), await known(second, session)]).toEqual([401, 401]);
});

it('S7 S8 what a superuser ends at one has ended at the other: tokens, sessions, passwords, accounts', async () => {
  const boss = (await person({ is_superuser: true })).session;
  const { user_id, session } = await person();
  const token = await makeToken(test.db, user_id);
  const { id } = await test.db.one<{ id: number }>(sql`/* test.token */
    select id from matriarch.api_tokens where user_id = ${user_id}`);
  expect([await known(first, token), await known(second, token)]).toEqual([200, 200]);
  expect((await ask(first, `DELETE /api/v1/rbac/tokens/${id}`, { token: boss })).status).toBe(204);
  expect([await known(second, token), await known(first, token)]).toEqual([401, 401]);

  const body = { current_password: GOOD_PASSWORD, new_password: 'staple giraffe orbit two' };
  const kept = await makeSession(test.db, user_id);
  expect((await ask(first, 'PUT /api/v1/user/password', { token: kept, body })).status).toBe(200);
  expect([await known(second, session), await known(second, kept)]).toEqual([401, 200]);

  const disable = { token: boss, body: { enabled: false } };
  const later = await makeToken(test.db, user_id);
  expect(await known(second, later)).toBe(200);
  expect((await ask(first, `PUT /api/v1/rbac/users/${user_id}`, disable)).status).toBe(200);
  expect([await known(second, kept), await known(second, later)]).toEqual([401, 401]);
});

it('S12 what is granted, scoped or taken away at one holds at the next request to the other', async () => {
  const boss = (await person({ is_superuser: true })).session;
  const owner = await person();
  const reader = await person();
  const target = await makeConnection(test.db, { owner_id: owner.user_id });
  const group = await makeGroup(test.db, { users: [reader.user_id] });
  const read = async (token: string) =>
    (await ask(second, `GET /api/v1/connections/${target}`, { token })).status;
  const grants = `/api/v1/rbac/groups/${group}/privileges/connections`;
  expect(await read(reader.session)).toBe(403);
  await ask(first, `POST ${grants}`, { token: boss, body: { connection_id: target, access_level: 'read' } });
  expect(await read(reader.session)).toBe(200);

  const token = await makeToken(test.db, owner.user_id);
  const { id } = await test.db.one<{ id: number }>(sql`/* test.token */
    select id from matriarch.api_tokens where user_id = ${owner.user_id}`);
  expect(await read(token)).toBe(200);
  await ask(first, `PUT /api/v1/rbac/tokens/${id}/scope`, { token: boss, body: { connections: [] } });
  expect(await read(token)).toBe(403);

  await ask(first, `DELETE ${grants}/${target}`, { token: boss });
  expect(await read(reader.session)).toBe(403);
});

it('S10 S21 guesses count together, and both write one chain of the audit log', async () => {
  const { username, user_id } = await person();
  const guesses = Array.from({ length: 40 }, (_, n) =>
    signIn(n % 2 === 0 ? first : second, username, `wrong guess ${n}`),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  const limited = (await signIn(second, username, GOOD_PASSWORD)).status;
  // Earlier sign-ins from this address count too, so fewer than ten may be left.
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  expect(statuses.filter((status) => status === 401 || status === 429)).toHaveLength(40);
  expect(limited).toBe(429);
  const refused = () =>
    test.db.one<{ times: number }>(sql`/* test.refused */
      select coalesce(sum(occurrences), 0)::int as times from matriarch.audit_events
      where action = 'session.create' and outcome = 'refused' and target_id = ${String(user_id)}`);
  const wrong = statuses.filter((status) => status === 401).length;
  // The first of them is written within a second, those that repeat it when the minute is over or the process stops.
  await expect.poll(async () => (await refused()).times).toBeGreaterThan(0);
  await Promise.all([first.child.kill('SIGTERM'), second.child.kill('SIGTERM')]);
  expect((await refused()).times).toBe(wrong);
  expect(await verifyAudit(test.db)).toMatchObject({ broken: undefined });
  [first, second] = await Promise.all([startApiProcess(test, keyFile), startApiProcess(test, keyFile)]);
}, 60_000);

it('S8 sessions outlive the process that opened them, killed or not', async () => {
  await test.db.run(sql`/* test.forgive */ truncate matriarch.login_attempts`);
  const { username } = await person();
  const { session } = await signIn(first, username, GOOD_PASSWORD);
  await first.child.kill('SIGKILL');
  expect(await known(second, session)).toBe(200);
  first = await startApiProcess(test, keyFile);
  expect(await known(first, session)).toBe(200);
}, 60_000);
