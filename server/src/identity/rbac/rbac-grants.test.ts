import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';

const UNKNOWN = 2_000_000_000;

let test: RbacApi;
let group: number;
let base: string;
beforeAll(async () => {
  test = await startRbacApi({ rooms: [connectionsRoom] });
  group = await makeGroup(test.db);
  base = `/api/v1/rbac/groups/${group}`;
});
afterAll(() => test.close());

const status = async (request: string, body?: object, token?: string) =>
  (await test.as(token, request, body)).status;

describe('MCP privileges', () => {
  const path = () => `${base}/privileges/mcp`;
  const own = async () => Object(await test.ok(`GET ${path()}`)).privileges;

  it('are listed by identifier, without the wildcard', async () => {
    const all = Object(await test.ok('GET /api/v1/rbac/privileges/mcp'));
    const identifiers = all.map(({ identifier }: { identifier: string }) => identifier);
    expect(identifiers).toHaveLength(36);
    expect(identifiers).toEqual([...identifiers].sort());
    expect(identifiers).not.toContain('*');
    expect(all.filter(({ is_public }: { is_public: boolean }) => is_public)).toHaveLength(4);
    for (const permission of ['manage_permissions', 'manage_token_scopes']) {
      const { session } = await makeHolder(test.db, { permissions: [permission] });
      expect(await status('GET /api/v1/rbac/privileges/mcp', undefined, session)).toBe(200);
    }
    expect(await status('GET /api/v1/rbac/privileges/mcp', undefined, test.actors.other.session)).toBe(403);
  });

  it('are replaced as a whole, and granted and revoked one by one', async () => {
    const put = await test.as(undefined, `PUT ${path()}`, {
      privileges: ['query_metrics', 'count_rows', 'query_metrics'],
    });
    expect([put.status, put.body]).toEqual([
      200,
      { group_id: group, privileges: ['count_rows', 'query_metrics'] },
    ]);
    for (const _again of [1, 2]) expect(await status(`POST ${path()}`, { privilege: '*' })).toBe(204);
    expect(await own()).toEqual(['*', 'count_rows', 'query_metrics']);
    expect(await status(`DELETE ${path()}?name=*`)).toBe(204);
    expect(await status(`DELETE ${path()}?name=*`)).toBe(404);
    expect(await own()).toEqual(['count_rows', 'query_metrics']);
    expect(await status(`POST ${path()}`, { privilege: 'pg://system_info' })).toBe(204);
    expect(await status(`DELETE ${path()}?name=pg%3A%2F%2Fsystem_info`)).toBe(204);
    expect(await status(`DELETE ${path()}`)).toBe(400);
    expect((await auditOf(test.db, 'group', group)).slice(0, 2)).toMatchObject([
      { action: 'group.grant', details: { granted: ['count_rows', 'query_metrics'], revoked: [] } },
      { action: 'group.grant', details: { mcp_privilege: '*' } },
    ]);
    await test.ok(`PUT ${path()}`, { privileges: [] });
    expect(await own()).toEqual([]);
    expect((await auditOf(test.db, 'group', group)).at(-1)?.action).toBe('group.revoke');
  });

  it('exist, or nothing is changed', async () => {
    await test.ok(`PUT ${path()}`, { privileges: ['count_rows'] });
    expect(await status(`PUT ${path()}`, { privileges: ['query_metrics', 'nonsense'] })).toBe(400);
    expect(await status(`POST ${path()}`, { privilege: 'nonsense' })).toBe(400);
    for (const body of [{}, { privileges: null }, { privileges: 'count_rows' }, { privileges: [''] }])
      expect(await status(`PUT ${path()}`, body), JSON.stringify(body)).toBe(400);
    expect(await own()).toEqual(['count_rows']);
  });

  it('S13 are granted only by those who have them', async () => {
    const { user_id, session } = await makeHolder(test.db, {
      permissions: ['manage_permissions'],
      mcp: ['count_rows', 'list_probes'],
    });
    expect(await status(`PUT ${path()}`, { privileges: ['list_probes', 'test_query'] }, session)).toBe(200);
    expect(await status(`POST ${path()}`, { privilege: 'query_database' }, session)).toBe(403);
    expect(await status(`POST ${path()}`, { privilege: '*' }, session)).toBe(403);
    expect(await status(`PUT ${path()}`, { privileges: ['list_probes', 'query_database'] }, session)).toBe(
      403,
    );
    const token = await makeToken(test.db, user_id, { scope: { mcp: ['list_probes'] } });
    expect(await status(`POST ${path()}`, { privilege: 'list_probes' }, token)).toBe(204);
    expect(await status(`POST ${path()}`, { privilege: 'count_rows' }, token)).toBe(403);
    expect(await status(`DELETE ${path()}?name=list_probes`, undefined, session)).toBe(204);
  });
});

describe('connections', () => {
  const path = () => `${base}/privileges/connections`;
  const own = async () => Object(await test.ok(`GET ${path()}`)).connections;
  const grant = (connection_id: number, access_level: string) => ({ connection_id, access_level });

  it('are replaced as a whole, and granted and revoked one by one', async () => {
    const { own_connection: one, shared_connection: two } = test.actors;
    const put = await test.as(undefined, `PUT ${path()}`, {
      connections: [grant(two, 'read'), grant(one, 'read_write')],
    });
    expect([put.status, put.body]).toEqual([
      200,
      { group_id: group, connections: [grant(one, 'read_write'), grant(two, 'read')] },
    ]);
    expect(await status(`POST ${path()}`, grant(0, 'read'))).toBe(204);
    expect(await status(`POST ${path()}`, grant(one, 'read'))).toBe(204);
    expect(await own()).toEqual([grant(0, 'read'), grant(one, 'read'), grant(two, 'read')]);
    expect(await status(`DELETE ${path()}/0`)).toBe(204);
    expect(await status(`DELETE ${path()}/0`)).toBe(404);
    expect(await own()).toEqual([grant(one, 'read'), grant(two, 'read')]);
    expect(await status(`DELETE ${path()}/${one}`)).toBe(204);
    await test.ok(`PUT ${path()}`, { connections: [] });
    expect(await own()).toEqual([]);
  });

  it('exist, once each, or nothing is changed', async () => {
    const { own_connection } = test.actors;
    const deleted = await makeConnection(test.db, { owner_id: test.actors.owner.user_id, deleted: true });
    await test.ok(`PUT ${path()}`, { connections: [grant(own_connection, 'read')] });
    const put = (...connections: object[]) => status(`PUT ${path()}`, { connections });
    expect(await put(grant(own_connection, 'read'), grant(own_connection, 'read_write'))).toBe(400);
    expect(await put(grant(0, 'read'), grant(UNKNOWN, 'read'))).toBe(404);
    expect(await put(grant(deleted, 'read'))).toBe(404);
    expect(await put(grant(-1, 'read'))).toBe(400);
    expect(await put(grant(own_connection, 'write'))).toBe(400);
    expect(await status(`POST ${path()}`, grant(UNKNOWN, 'read'))).toBe(404);
    expect(await own()).toEqual([grant(own_connection, 'read')]);
  });

  it('S13 are granted only by those who reach them as far', async () => {
    const { own_connection, shared_connection } = test.actors;
    const { session, user_id } = await makeHolder(test.db, {
      permissions: ['manage_permissions'],
      connections: { [own_connection]: 'read' },
    });
    const post = (connection: number, level: string, token = session) =>
      status(`POST ${path()}`, grant(connection, level), token);
    expect(await post(own_connection, 'read')).toBe(204);
    expect(await post(own_connection, 'read_write')).toBe(403);
    expect(await post(shared_connection, 'read_write')).toBe(204);
    expect(await post(0, 'read')).toBe(403);
    const mixed = { connections: [grant(own_connection, 'read'), grant(0, 'read')] };
    expect(await status(`PUT ${path()}`, mixed, session)).toBe(403);
    const scope = { connections: [{ connection_id: 0, level: 'read' as const }] };
    const token = await makeToken(test.db, user_id, { scope });
    expect(await post(shared_connection, 'read', token)).toBe(204);
    expect(await post(shared_connection, 'read_write', token)).toBe(403);
    const all = await makeHolder(test.db, {
      permissions: ['manage_permissions'],
      connections: { 0: 'read' },
    });
    expect(await post(0, 'read', all.session)).toBe(204);
    expect(await post(0, 'read_write', all.session)).toBe(403);
    expect(await status(`DELETE ${path()}/0`, undefined, session)).toBe(204);
  });

  it('leave grants and scopes when they are deleted; an empty scope stays empty', async () => {
    const { user_id } = await makeUser(test.db);
    const gone = await makeConnection(test.db, { owner_id: user_id });
    const member = await makeHolder(test.db, { connections: { [gone]: 'read' } });
    const scope = { connections: [{ connection_id: gone, level: 'read' as const }] };
    const token = await makeToken(test.db, member.user_id, { scope });
    await test.ok(`PUT ${path()}`, { connections: [grant(gone, 'read'), grant(0, 'read')] });
    expect(await status(`GET /api/v1/connections/${gone}`, undefined, token)).toBe(200);
    expect(await status(`DELETE /api/v1/connections/${gone}`)).toBe(204);
    expect(await own()).toEqual([grant(0, 'read')]);
    const seen = await test.as(token, 'GET /api/v1/connections');
    expect(seen.body).toEqual([]);
    const { tokens } = Object(await test.ok('GET /api/v1/rbac/tokens'));
    expect(tokens.find((one: { user_id: number }) => one.user_id === member.user_id).scope).toEqual({
      scoped: true,
      connections: [],
    });
  });
});

describe('admin permissions', () => {
  const path = () => `${base}/permissions`;

  it('are replaced as a whole, and granted and revoked one by one', async () => {
    const put = await test.as(undefined, `PUT ${path()}`, {
      permissions: ['manage_users', 'manage_probes', 'manage_users'],
    });
    expect([put.status, put.body]).toEqual([
      200,
      { group_id: group, permissions: ['manage_probes', 'manage_users'] },
    ]);
    for (const _again of [1, 2]) expect(await status(`POST ${path()}`, { permission: '*' })).toBe(204);
    expect(await test.ok(`GET ${path()}`)).toEqual({
      group_id: group,
      permissions: ['*', 'manage_probes', 'manage_users'],
    });
    expect(await status(`DELETE ${path()}/*`)).toBe(204);
    expect(await status(`DELETE ${path()}/%2A`)).toBe(404);
    expect(await status(`DELETE ${path()}/manage_users`)).toBe(204);
    expect(await status(`DELETE ${path()}/manage_everything`)).toBe(400);
    expect(await status(`PUT ${path()}`, { permissions: ['manage_everything'] })).toBe(400);
    await test.ok(`PUT ${path()}`, { permissions: [] });
    expect(await test.ok(`GET ${path()}`)).toEqual({ group_id: group, permissions: [] });
  });

  it('are seen and set by superusers only, not by those who hold every permission', async () => {
    const { session } = await makeHolder(test.db, { permissions: ['*'] });
    const narrow = await makeToken(test.db, test.actors.superuser.user_id, {
      scope: { admin: ['manage_permissions'] },
    });
    for (const token of [session, narrow]) {
      expect(await status(`GET ${path()}`, undefined, token)).toBe(403);
      expect(await status(`PUT ${path()}`, { permissions: [] }, token)).toBe(403);
      expect(await status(`POST ${path()}`, { permission: 'manage_probes' }, token)).toBe(403);
      expect(await status(`DELETE ${path()}/manage_probes`, undefined, token)).toBe(403);
      expect(await status(`GET ${base}/effective-privileges`, undefined, token)).toBe(200);
    }
  });

  it('show at once in user/info, cut by the scope of a token', async () => {
    const { user_id, session } = await makeUser(test.db);
    const id = await makeGroup(test.db, { users: [user_id] });
    const token = await makeToken(test.db, user_id, { scope: { admin: ['manage_probes'] } });
    const held = async (as: string) =>
      Object((await test.as(as, 'GET /api/v1/user/info')).body).admin_permissions;
    expect(await held(session)).toEqual([]);
    await test.ok(`PUT /api/v1/rbac/groups/${id}/permissions`, {
      permissions: ['manage_users', 'manage_probes'],
    });
    expect(await held(session)).toEqual(['manage_probes', 'manage_users']);
    expect(await held(token)).toEqual(['manage_probes']);
    await test.ok(`PUT /api/v1/rbac/groups/${id}/permissions`, { permissions: ['*', 'manage_users'] });
    expect(await held(session)).toEqual(['*']);
  });
});

describe('effective privileges of a group', () => {
  it('include what it inherits, the highest of each', async () => {
    const { own_connection, shared_connection } = test.actors;
    const inner = await makeGroup(test.db, {
      name: 'inner',
      connections: { [own_connection]: 'read' },
      mcp: ['count_rows'],
      permissions: ['manage_users', 'no_longer_there'],
    });
    const outer = await makeGroup(test.db, {
      groups: [inner],
      connections: { [own_connection]: 'read_write', [shared_connection]: 'read' },
      mcp: ['query_metrics'],
      permissions: ['manage_probes'],
    });
    expect(await test.ok(`GET /api/v1/rbac/groups/${inner}/effective-privileges`)).toEqual({
      group_name: 'inner',
      mcp_privileges: ['count_rows', 'query_metrics'],
      connection_privileges: [
        { connection_id: own_connection, access_level: 'read_write' },
        { connection_id: shared_connection, access_level: 'read' },
      ],
      admin_permissions: ['manage_probes', 'manage_users'],
    });
    expect(
      Object(await test.ok(`GET /api/v1/rbac/groups/${outer}/effective-privileges`)).mcp_privileges,
    ).toEqual(['query_metrics']);
  });
});

it('everything about a group that does not exist is 404', async () => {
  const { own_connection: connection_id } = test.actors;
  const at = `/api/v1/rbac/groups/${UNKNOWN}`;
  const requests: [string, object?][] = [
    [`GET ${at}/effective-privileges`],
    [`GET ${at}/privileges/mcp`],
    [`PUT ${at}/privileges/mcp`, { privileges: [] }],
    [`POST ${at}/privileges/mcp`, { privilege: 'count_rows' }],
    [`DELETE ${at}/privileges/mcp?name=count_rows`],
    [`GET ${at}/privileges/connections`],
    [`PUT ${at}/privileges/connections`, { connections: [] }],
    [`POST ${at}/privileges/connections`, { connection_id, access_level: 'read' }],
    [`DELETE ${at}/privileges/connections/${connection_id}`],
    [`GET ${at}/permissions`],
    [`PUT ${at}/permissions`, { permissions: [] }],
    [`POST ${at}/permissions`, { permission: 'manage_users' }],
    [`DELETE ${at}/permissions/manage_users`],
    [`PUT ${at}`, { name: 'x' }],
    [`DELETE ${at}`],
  ];
  for (const [request, body] of requests) {
    const answer = await test.as(undefined, request, body);
    expect([request, answer.status, answer.error]).toEqual([request, 404, 'There is no such group.']);
  }
});
