import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';

const GROUPS = '/api/v1/rbac/groups';

let test: RbacApi;
beforeAll(async () => {
  test = await startRbacApi({ rooms: [connectionsRoom] });
});
afterAll(() => test.close());

const create = async (name: string): Promise<number> => Object(await test.ok(`POST ${GROUPS}`, { name })).id;
const add = (group: number, body: object, token?: string) =>
  test.as(token, `POST ${GROUPS}/${group}/members`, body);
const remove = (group: number, member: string) =>
  test.as(undefined, `DELETE ${GROUPS}/${group}/members/${member}`);
const detail = async (group: number) => (await test.as(undefined, `GET ${GROUPS}/${group}`)).body;

describe('groups', () => {
  it('are made, listed, changed and deleted, each with a trace', async () => {
    const answer = await test.as(undefined, `POST ${GROUPS}`, {
      name: '  Night shift ',
      description: 'Who wakes',
    });
    const { id } = Object(answer.body);
    expect([answer.status, answer.body]).toEqual([201, { id, name: 'Night shift' }]);
    const member = await makeUser(test.db);
    expect((await add(id, { user_id: member.user_id })).status).toBe(204);
    expect((await add(id, { group_id: await create('juniors') })).status).toBe(204);
    const { groups } = Object(await test.ok(`GET ${GROUPS}`));
    expect(groups.map((group: { name: string }) => group.name)).toEqual(['juniors', 'Night shift']);
    expect(groups[1]).toMatchObject({ id, description: 'Who wakes', member_count: 2, member_of: [] });
    expect(groups[0]).toMatchObject({ member_count: 0, member_of: ['Night shift'] });
    expect(groups[0]).not.toHaveProperty('description');

    const changed = await test.as(undefined, `PUT ${GROUPS}/${id}`, { name: 'NIGHT SHIFT', description: '' });
    expect(changed.status).toBe(200);
    expect(Object.keys(Object(changed.body)).sort()).toEqual([
      'created_at',
      'id',
      'name',
      'requires_second_factor',
    ]);
    expect((await test.as(undefined, `DELETE ${GROUPS}/${id}`)).status).toBe(204);
    expect((await test.as(undefined, `GET ${GROUPS}/${id}`)).status).toBe(404);
    const trace = await auditOf(test.db, 'group', id);
    expect(trace.map(({ action }) => action)).toEqual([
      'group.create',
      'group.add_member',
      'group.add_member',
      'group.change',
      'group.delete',
    ]);
    expect(test.events('rbac.group_delete').at(-1)).toMatchObject({
      group_id: id,
      by: test.actors.superuser.user_id,
      request_id: trace.at(-1)?.request_id,
    });
  });

  it('have one name, whatever the case', async () => {
    const first = await create('taken');
    await create('other');
    expect((await test.as(undefined, `POST ${GROUPS}`, { name: 'TAKEN' })).status).toBe(409);
    expect((await test.as(undefined, `PUT ${GROUPS}/${first}`, { name: 'Other' })).status).toBe(409);
    expect((await test.as(undefined, `PUT ${GROUPS}/${first}`, { name: 'Taken' })).status).toBe(200);
  });

  it.each([
    ['POST', {}],
    ['POST', { name: '' }],
    ['POST', { name: '   ' }],
    ['POST', { name: 'a\u202eb' }],
    ['POST', { name: 'x'.repeat(256) }],
    ['PUT', {}],
    ['PUT', { name: null }],
  ])('refuse %s %j', async (method, body) => {
    const path = method === 'POST' ? GROUPS : `${GROUPS}/${await makeGroup(test.db)}`;
    expect((await test.as(undefined, `${method} ${path}`, body)).status).toBe(400);
  });

  it('show their own members and grants, not inherited ones', async () => {
    const [anna, ben] = [await makeUser(test.db), await makeUser(test.db)];
    const { own_connection } = test.actors;
    const inner = await makeGroup(test.db, { name: 'inner', users: [ben.user_id] });
    const id = await makeGroup(test.db, {
      users: [anna.user_id],
      groups: [inner],
      connections: { [own_connection]: 'read', 0: 'read_write' },
      mcp: ['*', 'count_rows', 'no_longer_there'],
      permissions: ['manage_probes', '*'],
    });
    await makeGroup(test.db, { groups: [id], mcp: ['query_metrics'], permissions: ['manage_users'] });
    expect(await detail(id)).toMatchObject({
      user_members: [anna.username],
      group_members: ['inner'],
      mcp_privileges: [
        { id: -1, identifier: '*' },
        { id: 4, identifier: 'count_rows', item_type: 'tool', is_public: false },
      ],
      connection_privileges: [
        { group_id: id, connection_id: 0, access_level: 'read_write' },
        { group_id: id, connection_id: own_connection, access_level: 'read' },
      ],
      admin_permissions: ['*', 'manage_probes'],
    });
    expect(await detail(inner)).toMatchObject({
      group_members: [],
      mcp_privileges: [],
      connection_privileges: [],
      admin_permissions: [],
    });
  });

  it('are seen by those who manage groups or permissions, and changed by the former', async () => {
    const id = await makeGroup(test.db);
    const look = await makeHolder(test.db, { permissions: ['manage_permissions'] });
    const manage = await makeHolder(test.db, { permissions: ['manage_groups'] });
    for (const { session } of [look, manage]) {
      expect((await test.as(session, `GET ${GROUPS}`)).status).toBe(200);
      expect((await test.as(session, `GET ${GROUPS}/${id}`)).status).toBe(200);
    }
    expect((await test.as(look.session, `PUT ${GROUPS}/${id}`, { name: 'x' })).status).toBe(403);
    expect((await test.as(manage.session, `PUT ${GROUPS}/${id}`, { name: 'seen' })).status).toBe(200);
    expect((await test.as(manage.session, `DELETE ${GROUPS}/${id}`)).status).toBe(204);
  });

  it('give their members what they are granted, at the next request', async () => {
    const { own_connection } = test.actors;
    const { user_id, session } = await makeUser(test.db);
    const outer = await makeGroup(test.db, { connections: { [own_connection]: 'read' } });
    const inner = await makeGroup(test.db);
    const read = async () => (await test.as(session, `GET /api/v1/connections/${own_connection}`)).status;
    expect(await read()).toBe(403);
    expect((await add(inner, { user_id })).status).toBe(204);
    expect((await add(outer, { group_id: inner })).status).toBe(204);
    expect(await read()).toBe(200);
    expect((await remove(outer, `group/${inner}`)).status).toBe(204);
    expect(await read()).toBe(403);
    expect((await add(outer, { user_id })).status).toBe(204);
    expect(await read()).toBe(200);
    expect((await test.as(undefined, `DELETE ${GROUPS}/${outer}`)).status).toBe(204);
    expect(await read()).toBe(403);
  });
});

describe('members', () => {
  it('are one user or one group that exists and is not there yet', async () => {
    const id = await makeGroup(test.db);
    const { user_id } = await makeUser(test.db);
    for (const body of [{}, { user_id: null }, { user_id, group_id: id }, { user_id: 0 }, { user_id: 'x' }])
      expect((await add(id, body)).status, JSON.stringify(body)).toBe(400);
    expect((await add(id, { user_id: 2_000_000_000 })).error).toBe('There is no such user.');
    expect((await add(id, { group_id: 2_000_000_000 })).error).toBe('There is no such group.');
    expect((await add(2_000_000_000, { user_id })).status).toBe(404);
    expect((await add(id, { user_id })).status).toBe(204);
    expect((await add(id, { user_id })).status).toBe(409);
  });

  it('leave only the group they are directly in', async () => {
    const { user_id } = await makeUser(test.db);
    const inner = await makeGroup(test.db, { users: [user_id] });
    const outer = await makeGroup(test.db, { groups: [inner] });
    expect((await remove(outer, `user/${user_id}`)).status).toBe(404);
    expect((await remove(outer, `group/${user_id}`)).status).toBe(404);
    expect((await remove(inner, `user/${user_id}`)).status).toBe(204);
    expect((await remove(inner, `user/${user_id}`)).status).toBe(404);
    expect((await remove(inner, `team/${user_id}`)).status).toBe(400);
    expect((await remove(2_000_000_000, `user/${user_id}`)).status).toBe(404);
  });

  it('S13 never close a circle', async () => {
    const [top, middle, bottom] = [
      await makeGroup(test.db),
      await makeGroup(test.db),
      await makeGroup(test.db),
    ];
    expect((await add(top, { group_id: middle })).status).toBe(204);
    expect((await add(middle, { group_id: bottom })).status).toBe(204);
    expect((await add(bottom, { group_id: top })).status).toBe(409);
    expect((await add(bottom, { group_id: bottom })).status).toBe(409);
    expect((await add(top, { group_id: bottom })).status).toBe(204);
  });

  it('S13 are not added where the group has more than the caller', async () => {
    const { session, user_id } = await makeHolder(test.db, {
      permissions: ['manage_groups'],
      mcp: ['count_rows'],
    });
    const own = await makeConnection(test.db, { owner_id: user_id });
    const { own_connection } = test.actors;
    const plain = await makeGroup(test.db, {
      mcp: ['count_rows'],
      connections: { [own]: 'read_write' },
      permissions: ['manage_groups'],
    });
    expect((await add(plain, { user_id }, session)).status).toBe(204);
    const inherited = await makeGroup(test.db);
    await makeGroup(test.db, { groups: [inherited], permissions: ['manage_users'] });
    const more = [
      inherited,
      await makeGroup(test.db, { mcp: ['query_metrics'] }),
      await makeGroup(test.db, { mcp: ['*'] }),
      await makeGroup(test.db, { connections: { [own_connection]: 'read' } }),
      await makeGroup(test.db, { connections: { 0: 'read' } }),
      await makeGroup(test.db, { permissions: ['*'] }),
    ];
    for (const group of more) {
      expect((await add(group, { user_id }, session)).status).toBe(403);
      expect((await add(group, { group_id: plain }, session)).status).toBe(403);
      expect((await add(group, { user_id })).status).toBe(204);
    }
  });
});
