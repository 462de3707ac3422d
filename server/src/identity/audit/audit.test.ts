// S21: what people do over HTTP is in the audit log, with who, from where and how it ended; and who may read it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretUses } from '../../estate/connections/secret-uses.service.ts';
import { loadTargets } from '../../estate/connections/targets.service.ts';
import type { Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { authRoom } from '../../testing/rooms/auth.ts';
import { connectionsOf, connectionsRoom } from '../../testing/rooms/connections.ts';
import { createPasswords } from '../auth/passwords.ts';
import { auditRoutes } from './audit.routes.ts';
import { createRefusals, type Refusal } from './refusals.service.ts';
import { verifyAudit } from './verify.service.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [auditRoutes, authRoom, connectionsRoom] });
});
afterAll(() => test.close());

interface Listed {
  events: Record<string, unknown>[];
  total_count: number;
}

function isListed(body: unknown): body is Listed {
  return typeof body === 'object' && body !== null && 'events' in body && Array.isArray(body.events);
}

/** What the superuser is shown, newest first. */
async function shown(query: string): Promise<Listed> {
  await test.refusals.flush();
  const { status, body } = await test.call(`GET /api/v1/audit?${query}`, {
    token: test.actors.superuser.session,
  });
  expect(status).toBe(200);
  return isListed(body) ? body : expect.fail('no list of events');
}

const connection = {
  name: 'orders',
  host: '127.0.0.1',
  port: 9,
  database_name: 'postgres',
  username: 'app',
  password: 'a canary of a password',
};

describe('the log', () => {
  it('holds each change of a connection, and no password', async () => {
    const { user_id, session, username } = test.actors.superuser;
    const headers = { 'x-request-id': 'audit-test-1' };
    const created = await test.call('POST /api/v1/connections', {
      token: session,
      body: connection,
      headers,
    });
    const id = Object(created.body).id;
    const path = `/api/v1/connections/${id}`;
    await test.call(`PUT ${path}`, {
      token: session,
      body: { port: 10, password: 'another canary', hostaddr: '127.0.0.2' },
    });
    await test.call('POST /api/v1/connections/test', { token: session, body: { id } });
    await test.call(`GET ${path}/databases`, { token: session });
    await test.call(`DELETE ${path}`, { token: session });
    const { events, total_count } = await shown(`target_kind=connection&target_id=${id}`);
    expect(events.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'connection.delete ok',
      'secret.use ok',
      'connection.test failed',
      'secret.use ok',
      'connection.change ok',
      'connection.create ok',
    ]);
    expect(total_count).toBe(6);
    expect(events.at(-1)).toMatchObject({
      actor_id: user_id,
      actor_name: username,
      via: 'session',
      address: '127.0.0.1',
      request_id: 'audit-test-1',
      target_name: 'orders',
      details: { host: '127.0.0.1', port: 9 },
    });
    expect(events.at(-2)?.details).toMatchObject({
      changed: expect.arrayContaining(['port', 'password', 'hostaddr']),
      port: 10,
    });
    expect(JSON.stringify(events)).not.toMatch(/canary|127\.0\.0\.2/);
  });

  it('holds sign-ins that worked and those that did not, without names that nobody has', async () => {
    const { username, user_id } = await makeUser(test.db);
    const password_hash = await createPasswords().hash(new Secret(GOOD_PASSWORD));
    await test.db.run(sql`/* test.password */
      update matriarch.users set password_hash = ${password_hash} where id = ${user_id}`);
    const login = (name: string, password: string) =>
      test.call('POST /api/v1/auth/login', { body: { username: name, password } });
    await login(username, 'wrong');
    await login('correct horse battery', 'wrong');
    const signedIn = await login(username, GOOD_PASSWORD);
    const cookie = /session_token=([^;]+)/.exec(signedIn.headers['set-cookie'] ?? '')?.[1] ?? '';
    await test.call('PUT /api/v1/user/password', {
      cookie,
      body: { current_password: GOOD_PASSWORD, new_password: 'staple giraffe orbit two' },
    });
    await test.call('POST /api/v1/auth/logout', { cookie });
    const { events } = await shown(`target_kind=user&target_id=${user_id}`);
    const told = events.map(({ action, outcome, actor_id }) => `${action} ${outcome} ${actor_id}`);
    expect(told.sort()).toEqual([
      `session.create ok ${user_id}`,
      'session.create refused null',
      `session.delete ok ${user_id}`,
      `user.set_password ok ${user_id}`,
    ]);
    const all = await shown('action=session.create&outcome=refused');
    expect(all.events).toHaveLength(2);
    expect(JSON.stringify(all.events)).not.toContain('correct horse battery');
  });

  it('is for those who hold its permission', async () => {
    const { superuser, owner } = test.actors;
    const withScope = (admin: string[]) => makeToken(test.db, superuser.user_id, { scope: { admin } });
    const status = async (token: string) => (await test.call('GET /api/v1/audit', { token })).status;
    expect(await status(owner.session)).toBe(403);
    expect(await status(await withScope(['view_audit']))).toBe(200);
    expect(await status(await withScope(['manage_users']))).toBe(403);
    const { events } = await shown(`actor_id=${owner.user_id}&action=access.check`);
    expect(events).toMatchObject([
      {
        outcome: 'refused',
        target_kind: 'operation',
        target_id: 'listAuditEvents',
        details: { status: 403, path: '/api/v1/audit' },
      },
    ]);
  });

  it('can be paged and filtered, and says what is wrong with a filter', async () => {
    const all = await shown('limit=1000');
    const paged = [await shown('limit=2'), await shown('limit=2&offset=2')].flatMap(({ events }) => events);
    expect(paged).toEqual(all.events.slice(0, 4));
    const { username } = test.actors.superuser;
    const own = await shown(`actor=${username.toUpperCase()}&limit=1000`);
    expect(own.events).toEqual(all.events.filter(({ actor_name }) => actor_name === username));
    const at = String(all.events[2]?.at);
    const before = await shown(`end_time=${at}&limit=1000`);
    const since = await shown(`start_time=${at}&limit=1000`);
    expect(since.events).toContainEqual(all.events[2]);
    expect(before.total_count + since.total_count).toBe(all.total_count);
    const { session } = test.actors.superuser;
    for (const [query, sentence] of [
      ['limit=1001', /limit/],
      ['outcome=good', /outcome/],
      ['start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z', /start_time must be before end_time/],
    ] as const) {
      const answer = await test.call(`GET /api/v1/audit?${query}`, { token: session });
      expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(sentence)]);
    }
    expect(await verifyAudit(test.db)).toMatchObject({ broken: undefined });
  });

  it.each(['0000-01-01T00:00:00Z', '2026-01-01T00:00:00%2B23:59', '9999-12-31T23:59:59-23:59'])(
    'a time that cannot be stored is refused in words: %s',
    async (time) => {
      for (const name of ['start_time', 'end_time']) {
        const { status, error } = await test.call(`GET /api/v1/audit?${name}=${time}`, {
          token: test.actors.superuser.session,
        });
        expect([status, error]).toEqual([400, `${name} must be a time such as 2026-01-31T12:00:00Z.`]);
      }
    },
  );

  it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2026-01-01T00:00:00-15:59'])(
    'every time that is let through can be compared: %s',
    async (time) => {
      const { status } = await test.call(`GET /api/v1/audit?start_time=${time}`, {
        token: test.actors.superuser.session,
      });
      expect(status).toBe(200);
    },
  );
});

it('a collector that opens a password says so once for each revision', async () => {
  const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
  const made = await test.call('POST /api/v1/connections', {
    token: test.actors.superuser.session,
    body: {
      name: 'with a password',
      host: '127.0.0.1',
      port: 9,
      database_name: 'postgres',
      username: 'nobody',
      password: 'x',
    },
  });
  const { id } = JSON.parse(made.text);
  const bare = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const { vault } = await connectionsOf(test.parts);
  const uses = secretUses({ db: test.db, clock, log: silentLog }, 'collecting');
  const load = async () =>
    uses.note(await loadTargets(test.db, vault, { ids: [id, bare], allow_private_networks: true }));
  await load();
  await load();
  await test.db.run(sql`/* test.revise */ update matriarch.connections set revision = 2 where id = ${id}`);
  await load();
  const { events } = await shown('actor=system:%20collector');
  expect(events.map(({ target_id, details }) => [target_id, details])).toEqual([
    [String(id), { purpose: 'collecting', revision: 2 }],
    [String(id), { purpose: 'collecting', revision: 1 }],
  ]);
});

describe('refusals', () => {
  const refusal = (n: number, operation = 'getConnection'): Refusal => ({
    action: 'access.check',
    operation,
    method: 'GET',
    path: '/api/v1/connections/1',
    status: 403,
    reason: 'You have no access to this connection.',
    principal: { user_id: n, username: `flood ${n}`, via: { kind: 'session', id: n } },
    origin: { address: '192.0.2.1', request_id: 'x' },
  });
  const rows = (like: string) =>
    test.db.rows<{ actor_name: string; occurrences: number; others: boolean }>(sql`/* test.flood */
      select actor_name, occurrences, details ? 'and_others' as others
      from matriarch.audit_events where actor_name like ${like} order by id`);

  it('that repeat within a minute are one row more, with their number', async () => {
    const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
    const refusals = createRefusals({ db: test.db, clock, log: silentLog });
    refusals.note(refusal(1));
    await refusals.flush();
    for (let n = 0; n < 5000; n += 1) refusals.note(refusal(1));
    clock.advance(60_000);
    await refusals.stop();
    expect(await rows('flood 1')).toMatchObject([{ occurrences: 1 }, { occurrences: 5000 }]);
  });

  it('of more callers than can be listed are counted together', async () => {
    const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
    const refusals = createRefusals({ db: test.db, clock, log: silentLog });
    for (let n = 1000; n < 3000; n += 1) refusals.note(refusal(n));
    await refusals.flush();
    const written = (await rows('flood %')).slice(2);
    expect(written).toHaveLength(101);
    expect(written.filter(({ others }) => others)).toEqual([
      { actor_name: 'flood 1100', occurrences: 1900, others: true },
    ]);
    clock.advance(60_000);
    await refusals.flush();
    refusals.note(refusal(5000));
    await refusals.stop();
    expect((await rows('flood 5000'))[0]).toMatchObject({ occurrences: 1, others: false });
  });

  it('wait while the datastore is away', async () => {
    const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
    let away = true;
    const run: Db['run'] = async (statement) => {
      if (away) throw new Error('away');
      return test.db.run(statement);
    };
    const { rows: select, one, maybe } = test.db;
    const db: Db = { run, rows: select, one, maybe, transaction: (work) => test.db.transaction(work) };
    const refusals = createRefusals({ db, clock, log: silentLog });
    refusals.note(refusal(7));
    await refusals.flush();
    expect(await rows('flood 7')).toEqual([]);
    away = false;
    refusals.note(refusal(7));
    await refusals.stop();
    expect(await rows('flood 7')).toMatchObject([{ occurrences: 2 }]);
  });
});
