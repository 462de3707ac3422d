import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeSession, makeToken, makeUser } from '../../testing/access/actors.ts';
import { GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';

const USERS = '/api/v1/rbac/users';
const INFO = 'GET /api/v1/user/info';
const LOGIN = 'POST /api/v1/auth/login';

let test: RbacApi;
beforeAll(async () => {
  test = await startRbacApi();
});
afterAll(() => test.close());

let made = 0;
async function create(over: object = {}): Promise<{ id: number; username: string }> {
  made += 1;
  const body = { username: `made-${made}`, password: GOOD_PASSWORD, ...over };
  const { id, username } = Object(await test.ok(`POST ${USERS}`, body));
  return { id, username };
}

const put = (id: number, body: object, token?: string) => test.as(token, `PUT ${USERS}/${id}`, body);
const privileges = async (id: number, token?: string) =>
  (await test.as(token, `GET ${USERS}/${id}/privileges`)).body;
const listed = async (id: number) =>
  Object(await test.ok(`GET ${USERS}`)).users.find((user: { id: number }) => user.id === id);
const manager = () => makeHolder(test.db, { permissions: ['manage_users'] });

describe('creating users', () => {
  it('keeps what was said, lists it, and lets the user in', async () => {
    const facts = { display_name: 'Anna Berg', email: 'anna@example.com', annotation: 'On call' };
    const { id, username } = await create({ ...facts, username: 'Anna.Berg' });
    expect(await listed(id)).toEqual({
      id,
      username,
      ...facts,
      enabled: true,
      is_superuser: false,
      is_service_account: false,
      has_second_factor: false,
      groups: [],
    });
    const login = await test.call(LOGIN, { body: { username: 'anna.berg', password: GOOD_PASSWORD } });
    expect(login.status).toBe(200);
    expect((await auditOf(test.db, 'user', id))[0]).toMatchObject({
      action: 'user.create',
      actor_name: test.actors.superuser.username,
      target_name: username,
    });
  });

  it('makes service accounts without a password, and disabled users', async () => {
    const robot = await create({ password: '', is_service_account: true });
    expect(await listed(robot.id)).toMatchObject({ is_service_account: true, display_name: '', email: '' });
    expect(await listed(robot.id)).not.toHaveProperty('annotation');
    const direct = await makeGroup(test.db, { name: 'robots', users: [robot.id] });
    await makeGroup(test.db, { name: 'above robots', groups: [direct] });
    expect(await listed(robot.id)).toMatchObject({ groups: ['robots'] });
    const off = await create({ enabled: false });
    const login = await test.call(LOGIN, { body: { username: off.username, password: GOOD_PASSWORD } });
    expect(login.status).toBe(401);
  });

  it.each([
    ['a taken name in another case', { username: 'OWNER-X' }, 409],
    ['no password', { password: '' }, 400],
    ['a short password', { password: 'short' }, 400],
    ['a service account with a password', { is_service_account: true }, 400],
    ['an odd name', { username: '-x' }, 400],
    ['no name', { username: null }, 400],
    ['a text for a flag', { enabled: 'no' }, 400],
  ])('refuses %s', async (_what, over, status) => {
    if (status === 409) await create({ username: 'owner-x' });
    const body = { username: `refused-${made}`, password: GOOD_PASSWORD, ...over };
    expect((await test.as(undefined, `POST ${USERS}`, body)).status).toBe(status);
  });

  it('lets only superusers make superusers, and not by a token with a ceiling', async () => {
    const { session } = await manager();
    const body = { username: 'promoted', password: GOOD_PASSWORD, is_superuser: true };
    expect((await test.as(session, `POST ${USERS}`, body)).status).toBe(403);
    const scope = { connections: [{ connection_id: 0, level: 'read' as const }] };
    const limited = await makeToken(test.db, test.actors.superuser.user_id, { scope });
    expect((await test.as(limited, `POST ${USERS}`, body)).status).toBe(403);
    expect((await test.as(session, `POST ${USERS}`, { ...body, is_superuser: false })).status).toBe(201);
  });
});

describe('changing users', () => {
  it('changes what is given, clears what is empty, and logs who did it', async () => {
    const { id } = await create({ display_name: 'Old', annotation: 'Note' });
    const answer = await test.call(`PUT ${USERS}/${id}`, {
      token: test.actors.superuser.session,
      body: { display_name: 'New', annotation: '', email: null },
      headers: { 'x-request-id': 'change-1' },
    });
    expect(answer.status).toBe(200);
    expect(await listed(id)).toMatchObject({ display_name: 'New', email: '' });
    expect(await listed(id)).not.toHaveProperty('annotation');
    expect(test.events('auth.user_changed').at(-1)).toMatchObject({
      user_id: id,
      by: test.actors.superuser.user_id,
      request_id: 'change-1',
    });
    expect((await auditOf(test.db, 'user', id)).at(-1)).toMatchObject({
      action: 'user.change',
      request_id: 'change-1',
      details: { display_name: 'New', annotation: '' },
    });
  });

  it('S8 ends sessions with a new password and when disabled; disabling stops tokens', async () => {
    const { id, username } = await create();
    const [first, token] = [await makeSession(test.db, id), await makeToken(test.db, id)];
    const password = 'lantern orbit staple';
    expect((await put(id, { password })).status).toBe(200);
    expect((await test.as(first, INFO)).body).toEqual({ authenticated: false });
    expect((await test.as(token, INFO)).body).toMatchObject({ authenticated: true });
    expect((await test.call(LOGIN, { body: { username, password } })).status).toBe(200);
    const second = await makeSession(test.db, id);
    expect((await put(id, { enabled: false })).status).toBe(200);
    for (const dead of [second, token])
      expect((await test.as(dead, INFO)).body).toEqual({ authenticated: false });
    expect((await put(id, { enabled: true })).status).toBe(200);
    expect((await test.as(second, INFO)).body).toEqual({ authenticated: false });
  });

  it('refuses unknown users, weak passwords, and passwords for service accounts', async () => {
    const { id } = await create();
    expect((await put(2_000_000_000, { email: 'x' })).status).toBe(404);
    expect((await put(id, { password: 'password1234' })).status).toBe(400);
    const robot = await create({ password: null, is_service_account: true });
    expect((await put(robot.id, { password: GOOD_PASSWORD })).status).toBe(409);
  });

  it('keeps oneself enabled', async () => {
    const me = test.actors.superuser;
    const answer = await put(me.user_id, { enabled: false });
    expect([answer.status, answer.error]).toEqual([409, 'You cannot disable your own account.']);
    expect((await test.as(undefined, `DELETE ${USERS}/${me.user_id}`)).status).toBe(409);
    expect((await test.as(me.session, INFO)).body).toMatchObject({ authenticated: true });
  });

  it('keeps the last enabled superuser', async () => {
    const second = await makeUser(test.db, { is_superuser: true });
    const disabled = await makeUser(test.db, { is_superuser: true, enabled: false });
    expect((await put(second.user_id, { is_superuser: false })).status).toBe(200);
    expect((await put(disabled.user_id, { is_superuser: false })).status).toBe(200);
    expect((await put(test.actors.superuser.user_id, { is_superuser: false })).status).toBe(409);
  });
});

describe('S13 a manager of users who is no superuser', () => {
  it('changes and deletes those who hold no more than themselves', async () => {
    const { session } = await manager();
    const { id } = await create();
    expect((await put(id, { display_name: 'X', is_superuser: false }, session)).status).toBe(200);
    expect((await put(id, { password: 'lantern orbit staple' }, session)).status).toBe(200);
    expect((await put(id, { is_superuser: true }, session)).status).toBe(403);
    expect((await test.as(session, `DELETE ${USERS}/${id}`)).status).toBe(204);
    expect(await listed(id)).toBeUndefined();
  });

  it('does not touch those who hold more', async () => {
    const { session, user_id } = await manager();
    const own = await makeConnection(test.db, { owner_id: user_id });
    const owner = await makeUser(test.db);
    await makeConnection(test.db, { owner_id: owner.user_id });
    const more = [
      test.actors.superuser,
      owner,
      await makeHolder(test.db, { permissions: ['manage_users', 'manage_probes'] }),
      await makeHolder(test.db, { permissions: ['*'] }),
      await makeHolder(test.db, { mcp: ['count_rows'] }),
      await makeHolder(test.db, { mcp: ['*'] }),
      await makeHolder(test.db, { connections: { 0: 'read' } }),
    ];
    for (const { user_id: id } of more) {
      for (const body of [
        { email: 'x' },
        { enabled: false },
        { password: GOOD_PASSWORD },
        { is_superuser: true },
      ])
        expect((await put(id, body, session)).status, JSON.stringify(body)).toBe(403);
      expect((await test.as(session, `DELETE ${USERS}/${id}`)).status).toBe(403);
    }
    const equal = await makeHolder(test.db, {
      permissions: ['manage_users'],
      connections: { [own]: 'read_write' },
    });
    expect((await put(equal.user_id, { email: 'x' }, session)).status).toBe(200);
  });

  it('is judged by what its token leaves', async () => {
    const { user_id } = await makeHolder(test.db, {
      permissions: ['manage_users'],
      mcp: ['count_rows'],
      connections: { 0: 'read' },
    });
    const plain = await create();
    const reader = await makeHolder(test.db, { connections: { [test.actors.own_connection]: 'read' } });
    const whole = await makeToken(test.db, user_id);
    expect((await put(reader.user_id, { email: 'x' }, whole)).status).toBe(200);
    for (const scope of [{ connections: [] }, { mcp: [] }]) {
      const cut = await makeToken(test.db, user_id, { scope });
      expect((await put(reader.user_id, { email: 'x' }, cut)).status).toBe(403);
    }
    const admin = await makeToken(test.db, user_id, { scope: { admin: [] } });
    expect((await put(plain.id, { email: 'x' }, admin)).error).toMatch(/^You need the permission/);
    const superuserToken = await makeToken(test.db, test.actors.superuser.user_id, {
      scope: { connections: [{ connection_id: test.actors.shared_connection, level: 'read' }] },
    });
    expect((await put(reader.user_id, { email: 'x' }, superuserToken)).status).toBe(403);
  });
});

describe('deleting users', () => {
  it('ends what they opened and passes on what they owned', async () => {
    const { id, username } = await create();
    const { user_id: heir } = test.actors.superuser;
    const [session, token] = [await makeSession(test.db, id), await makeToken(test.db, id)];
    const group = await makeGroup(test.db, { users: [id] });
    const [kept, taken, gone] = [
      await makeConnection(test.db, { owner_id: id, name: 'kept' }),
      await makeConnection(test.db, { owner_id: id, name: 'Taken' }),
      await makeConnection(test.db, { owner_id: id, name: 'kept', deleted: true }),
    ];
    await makeConnection(test.db, { owner_id: heir, name: 'taken' });
    const clusters = await test.db.one<{ id: number }>(sql`/* test.cluster_group */
      insert into matriarch.cluster_groups (name, owner_id) values ('theirs', ${id}) returning id`);
    expect((await test.as(undefined, `DELETE ${USERS}/${id}`)).status).toBe(204);
    for (const dead of [session, token])
      expect((await test.as(dead, INFO)).body).toEqual({ authenticated: false });
    const rows = await test.db.rows<{ id: number; name: string; owner_id: number }>(sql`/* test.owned */
      select id, name, owner_id from matriarch.connections where id = any(${[kept, taken, gone]}::int[]) order by id`);
    expect(rows).toEqual([
      { id: kept, name: 'kept', owner_id: heir },
      { id: taken, name: `Taken (${username}, ${taken})`, owner_id: heir },
      { id: gone, name: 'kept', owner_id: heir },
    ]);
    const left = await test.db.one(sql`/* test.left */
      select
        (select count(*)::int from matriarch.group_users where group_id = ${group}) as members,
        (select count(*)::int from matriarch.api_tokens where user_id = ${id}) as tokens,
        (select owner_id from matriarch.cluster_groups where id = ${clusters.id}) as owner_id`);
    expect(left).toEqual({ members: 0, tokens: 0, owner_id: heir });
    expect((await auditOf(test.db, 'user', id)).at(-1)).toMatchObject({
      action: 'user.delete',
      target_name: username,
    });
    expect((await test.as(undefined, `DELETE ${USERS}/${id}`)).status).toBe(404);
  });
});

describe('effective privileges', () => {
  it('of a superuser are everything', async () => {
    const { user_id, username } = test.actors.superuser;
    expect(await privileges(user_id)).toEqual({
      username,
      is_superuser: true,
      groups: [],
      mcp_privileges: ['*'],
      connection_privileges: { '0': 'read_write' },
      admin_permissions: ['*'],
    });
  });

  it('are owned, shared, granted and inherited, the highest of each', async () => {
    const user = await makeUser(test.db);
    const { own_connection, shared_connection } = test.actors;
    const own = await makeConnection(test.db, { owner_id: user.user_id });
    const bottom = await makeGroup(test.db, {
      name: 'a-bottom',
      users: [user.user_id],
      connections: { [own_connection]: 'read', [own]: 'read' },
      mcp: ['query_metrics', 'count_rows'],
    });
    await makeGroup(test.db, {
      name: 'B-top',
      groups: [bottom],
      connections: { [own_connection]: 'read_write' },
      permissions: ['manage_probes', 'manage_blackouts'],
    });
    const expected = {
      username: user.username,
      is_superuser: false,
      groups: ['a-bottom', 'B-top'],
      mcp_privileges: ['count_rows', 'query_metrics'],
      connection_privileges: {
        [own]: 'read_write',
        [own_connection]: 'read_write',
        [shared_connection]: 'read_write',
      },
      admin_permissions: ['manage_blackouts', 'manage_probes'],
    };
    expect(await privileges(user.user_id)).toEqual(expected);
    expect(await privileges(user.user_id, user.session)).toEqual(expected);
  });

  it('are raised by a grant on every connection', async () => {
    const { own_connection } = test.actors;
    const reader = await makeHolder(test.db, {
      connections: { 0: 'read_write', [own_connection]: 'read' },
      mcp: ['*', 'count_rows'],
    });
    expect(await privileges(reader.user_id)).toMatchObject({
      mcp_privileges: ['*'],
      connection_privileges: { '0': 'read_write', [own_connection]: 'read_write' },
    });
  });

  it('are shown to oneself and to managers only', async () => {
    const [me, other, boss] = [await makeUser(test.db), await makeUser(test.db), await manager()];
    const path = `GET ${USERS}/${me.user_id}/privileges`;
    expect((await test.as(me.session, path)).status).toBe(200);
    expect((await test.as(boss.session, path)).status).toBe(200);
    expect((await test.as(other.session, path)).status).toBe(403);
    expect((await test.as(undefined, `GET ${USERS}/2000000000/privileges`)).status).toBe(404);
  });
});
