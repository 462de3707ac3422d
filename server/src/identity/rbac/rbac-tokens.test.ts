import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';
import { callApi, startTestApi } from '../../testing/api.ts';
import { authRoom } from '../../testing/rooms/auth.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { rbacRoom } from '../../testing/rooms/rbac.ts';

const TOKENS = '/api/v1/rbac/tokens';
const INFO = 'GET /api/v1/user/info';
const UNKNOWN = 2_000_000_000;

let test: RbacApi;
beforeAll(async () => {
  test = await startRbacApi({ rooms: [connectionsRoom] });
});
afterAll(() => test.close());

interface Made {
  id: number;
  token: string;
  expires_at: string | null;
}

async function create(owner_username: string, over: object = {}): Promise<Made> {
  const { id, token, expires_at } = Object(await test.ok(`POST ${TOKENS}`, { owner_username, ...over }));
  return { id, token, expires_at };
}

const status = async (request: string, body?: object, token?: string) =>
  (await test.as(token, request, body)).status;
const scopeOf = async (id: number) => await test.ok(`GET ${TOKENS}/${id}/scope`);
const listed = async (id: number) =>
  Object(await test.ok(`GET ${TOKENS}`)).tokens.find((token: { id: number }) => token.id === id);

describe('S7 tokens', () => {
  it('are shown once, listed by the prefix of their hash, and work until deleted', async () => {
    const owner = await makeUser(test.db);
    const answer = await test.as(undefined, `POST ${TOKENS}`, {
      owner_username: owner.username.toUpperCase(),
      annotation: 'backup job',
    });
    expect(answer.status).toBe(201);
    const { token, id, message } = Object(answer.body);
    expect(answer.body).toEqual({
      token,
      id,
      owner: owner.username,
      annotation: 'backup job',
      expires_at: null,
      message,
    });
    expect(token).toMatch(/^mat_[A-Za-z0-9_-]{43}$/);
    expect(await listed(id)).toEqual({
      id,
      name: 'backup job',
      token_prefix: createHash('sha256').update(token).digest('hex').slice(0, 12),
      user_id: owner.user_id,
      username: owner.username,
      is_service_account: false,
      is_superuser: false,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      scope: { scoped: false },
    });
    expect(JSON.stringify(await test.ok(`GET ${TOKENS}`))).not.toContain(token.slice(4));
    expect((await test.as(token, INFO)).body).toMatchObject({ username: owner.username });
    expect(await status(`DELETE ${TOKENS}/${id}`)).toBe(204);
    expect((await test.as(token, INFO)).body).toEqual({ authenticated: false });
    expect(await status(`DELETE ${TOKENS}/${id}`)).toBe(404);
    expect((await auditOf(test.db, 'token', id)).map(({ action }) => action)).toEqual([
      'token.create',
      'token.delete',
    ]);
  });

  it('deleted in one process are dead in another at the next request', async () => {
    const other = await startTestApi({ rooms: [authRoom, connectionsRoom, rbacRoom], db: test.db });
    try {
      const owner = await makeUser(test.db);
      const { id, token } = await create(owner.username);
      const there = () => callApi(other.api, 'GET /api/v1/capabilities', { token });
      expect((await there()).status).toBe(200);
      expect(await status(`DELETE ${TOKENS}/${id}`)).toBe(204);
      expect((await there()).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it.each([
    [{ expires_in: '36h' }, 1.5],
    [{ expires_in: '2m' }, 60],
    [{ expires_in: '10y' }, 3650],
    [{ expires_in: 'never' }, null],
    [{ expires_in: '' }, null],
    [{ expires_in: null }, null],
  ])('last as long as asked for: %j', async (body, days) => {
    const before = systemClock.now();
    const { expires_at } = await create(test.actors.other.username, body);
    if (days === null) return expect(expires_at).toBeNull();
    const lasts = Date.parse(expires_at ?? '') - days * DAY_MS;
    expect(lasts).toBeGreaterThanOrEqual(before);
    expect(lasts).toBeLessThanOrEqual(systemClock.now());
  });

  it.each(['11y', '0d', '5', 'soon', '3s', '99999999999d', 30])('do not last %j', async (expires_in) => {
    const body = { owner_username: test.actors.other.username, expires_in };
    expect(await status(`POST ${TOKENS}`, body)).toBe(400);
  });

  it('need an owner who exists and is enabled', async () => {
    const off = await makeUser(test.db, { enabled: false });
    expect(await status(`POST ${TOKENS}`, { owner_username: 'nobody-here' })).toBe(404);
    expect(await status(`POST ${TOKENS}`, { owner_username: off.username })).toBe(400);
    expect(await status(`POST ${TOKENS}`, {})).toBe(400);
  });
});

it('tokens last at most as long as the setting says, also when no end is asked for', async () => {
  const limited = await startRbacApi({ max_token_ms: 30 * DAY_MS });
  try {
    const owner_username = limited.actors.other.username;
    for (const expires_in of ['30d', 'never', undefined]) {
      const { expires_at } = Object(await limited.ok(`POST ${TOKENS}`, { owner_username, expires_in }));
      const lasts = Date.parse(expires_at) - systemClock.now();
      expect(lasts).toBeGreaterThan(29 * DAY_MS);
      expect(lasts).toBeLessThanOrEqual(30 * DAY_MS);
    }
    const answer = await limited.as(undefined, `POST ${TOKENS}`, { owner_username, expires_in: '31d' });
    expect([answer.status, answer.error]).toEqual([400, 'Tokens of this server last at most 30 days.']);
  } finally {
    await limited.close();
  }
});

describe('scopes', () => {
  it('are set as a whole, shown with ids and identifiers, and cleared', async () => {
    const { id } = await create(test.actors.owner.username);
    expect(await scopeOf(id)).toEqual({ token_id: id, scoped: false });
    const { own_connection: connection_id } = test.actors;
    const connections = [{ connection_id, access_level: 'read' }];
    const mcp_privileges = ['count_rows', '*', 'count_rows'];
    expect(await status(`PUT ${TOKENS}/${id}/scope`, { connections, mcp_privileges })).toBe(204);
    const scope = {
      scoped: true,
      connections,
      mcp_privileges: [4, -1],
      mcp_identifiers: ['count_rows', '*'],
    };
    expect(await scopeOf(id)).toEqual({ token_id: id, ...scope });
    expect((await listed(id)).scope).toEqual(scope);
    const empty = { connections: null, mcp_privileges: [], admin_permissions: [] };
    expect(await status(`PUT ${TOKENS}/${id}/scope`, empty)).toBe(204);
    expect(await scopeOf(id)).toEqual({
      token_id: id,
      scoped: true,
      mcp_privileges: [],
      mcp_identifiers: [],
      admin_permissions: [],
    });
    expect(await status(`DELETE ${TOKENS}/${id}/scope`)).toBe(204);
    expect(await scopeOf(id)).toEqual({ token_id: id, scoped: false });
    expect((await auditOf(test.db, 'token', id)).map(({ action }) => action)).toEqual([
      'token.create',
      'token.set_scope',
      'token.set_scope',
      'token.set_scope',
    ]);
  });

  it('are ceilings: what the owner lacks has no effect, and they count at the next request', async () => {
    const { owner, other, own_connection } = test.actors;
    const read = (token: string) => status(`GET /api/v1/connections/${own_connection}`, undefined, token);
    const [mine, theirs] = [await create(owner.username), await create(other.username)];
    const connections = [{ connection_id: own_connection, access_level: 'read_write' }];
    const wide = { connections, mcp_privileges: ['*'], admin_permissions: ['*'] };
    for (const { id } of [mine, theirs]) await test.ok(`PUT ${TOKENS}/${id}/scope`, wide);
    expect(await read(theirs.token)).toBe(403);
    expect((await test.as(theirs.token, INFO)).body).toMatchObject({
      is_superuser: false,
      admin_permissions: [],
    });
    expect(await read(mine.token)).toBe(200);
    await test.ok(`PUT ${TOKENS}/${mine.id}/scope`, { connections: [] });
    expect(await read(mine.token)).toBe(403);
    await test.ok(`DELETE ${TOKENS}/${mine.id}/scope`);
    expect(await read(mine.token)).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['only null', { connections: null, mcp_privileges: null, admin_permissions: null }],
    ['an unknown connection', { connections: [{ connection_id: UNKNOWN, access_level: 'read' }] }],
    ['an unknown identifier', { mcp_privileges: ['nonsense'] }],
    ['an unknown permission', { admin_permissions: ['manage_everything'] }],
    ['a connection without level', { connections: [{ connection_id: 1 }] }],
    [
      'a connection twice',
      {
        connections: [
          { connection_id: 1, access_level: 'read' },
          { connection_id: 1, access_level: 'read_write' },
        ],
      },
    ],
    ['a text for a list', { mcp_privileges: 'count_rows' }],
  ])('refuse %s with 400 and stay as they were', async (_what, body) => {
    const { id } = await create(test.actors.other.username);
    await test.ok(`PUT ${TOKENS}/${id}/scope`, { admin_permissions: [] });
    expect(await status(`PUT ${TOKENS}/${id}/scope`, body)).toBe(400);
    expect(await scopeOf(id)).toEqual({ token_id: id, scoped: true, admin_permissions: [] });
  });

  it('of unknown tokens are 404', async () => {
    const path = `${TOKENS}/${UNKNOWN}/scope`;
    expect(await status(`GET ${path}`)).toBe(404);
    expect(await status(`PUT ${path}`, { mcp_privileges: [] })).toBe(404);
    expect(await status(`DELETE ${path}`)).toBe(404);
  });
});

describe('S13 whoever manages tokens and is no superuser', () => {
  it('makes them for those who have no more', async () => {
    const { session, username } = await makeHolder(test.db, {
      permissions: ['manage_token_scopes'],
      mcp: ['count_rows'],
    });
    const owner = await makeUser(test.db);
    await makeConnection(test.db, { owner_id: owner.user_id });
    const equal = await makeHolder(test.db, { mcp: ['count_rows'] });
    const post = (owner_username: string) => status(`POST ${TOKENS}`, { owner_username }, session);
    expect(await post(username)).toBe(201);
    expect(await post(equal.username)).toBe(201);
    expect(await post(owner.username)).toBe(403);
    expect(await post(test.actors.superuser.username)).toBe(403);
    for (const grants of [
      { mcp: ['*'] },
      { permissions: ['manage_users'] },
      { connections: { 0: 'read' as const } },
    ])
      expect(await post((await makeHolder(test.db, grants)).username)).toBe(403);
  });

  it('sets and clears scopes only where the token stays within their own rights', async () => {
    const { own_connection, superuser } = test.actors;
    const { session } = await makeHolder(test.db, {
      permissions: ['manage_token_scopes', 'manage_probes'],
      connections: { [own_connection]: 'read' },
      mcp: ['count_rows'],
    });
    const { id } = await create(superuser.username);
    const put = (body: object) => status(`PUT ${TOKENS}/${id}/scope`, body, session);
    const connections = (access_level: string, connection_id = own_connection) => [
      { connection_id, access_level },
    ];
    const within = {
      connections: connections('read'),
      mcp_privileges: ['count_rows'],
      admin_permissions: ['manage_probes'],
    };
    expect(await put(within)).toBe(204);
    expect(await put({ ...within, connections: connections('read_write') })).toBe(403);
    expect(await put({ ...within, connections: connections('read', 0) })).toBe(403);
    expect(await put({ ...within, connections: null })).toBe(403);
    expect(await put({ ...within, mcp_privileges: ['query_database'] })).toBe(403);
    expect(await put({ ...within, mcp_privileges: null })).toBe(403);
    expect(await put({ ...within, admin_permissions: ['manage_users'] })).toBe(403);
    expect(await put({ ...within, admin_permissions: ['*'] })).toBe(403);
    expect(await put({ ...within, admin_permissions: null })).toBe(403);
    expect(await status(`DELETE ${TOKENS}/${id}/scope`, undefined, session)).toBe(403);
    expect(await put({ connections: [], mcp_privileges: [], admin_permissions: [] })).toBe(204);
    expect(await status(`DELETE ${TOKENS}/${id}`, undefined, session)).toBe(204);
  });

  it.each([
    ['a person', false],
    ['a superuser', true],
  ])('cannot widen the token of %s that they call with', async (_who, is_superuser) => {
    const person = is_superuser
      ? await makeUser(test.db, { is_superuser })
      : await makeHolder(test.db, { permissions: ['manage_token_scopes'], connections: { 0: 'read_write' } });
    const { own_connection: connection_id } = test.actors;
    const scope = { connections: [{ connection_id, level: 'read' as const }] };
    const token = await makeToken(test.db, person.user_id, { scope });
    const { tokens } = Object(await test.ok(`GET ${TOKENS}`));
    const { id } = tokens.find((one: { user_id: number }) => one.user_id === person.user_id);
    const put = (access_level: string) =>
      status(`PUT ${TOKENS}/${id}/scope`, { connections: [{ connection_id, access_level }] }, token);
    expect(await put('read_write')).toBe(403);
    expect(await status(`PUT ${TOKENS}/${id}/scope`, { mcp_privileges: [] }, token)).toBe(403);
    expect(await status(`DELETE ${TOKENS}/${id}/scope`, undefined, token)).toBe(403);
    expect(await status(`POST ${TOKENS}`, { owner_username: person.username }, token)).toBe(403);
    expect(await put('read')).toBe(204);
    const own = await makeToken(test.db, person.user_id);
    expect(await status(`DELETE ${TOKENS}/${id}/scope`, undefined, own)).toBe(204);
  });
});
