// Grants on clusters and groups of clusters over HTTP: every server that is there now or later, and no more than the
// giver has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clustersRoutes } from '../../estate/clusters/clusters.routes.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { joinCluster, makeCluster, makeGroup as makeClusterGroup } from '../../testing/store/clusters.ts';

let test: RbacApi;
let owner: number;
beforeAll(async () => {
  test = await startRbacApi({ rooms: [connectionsRoom, clustersRoutes] });
  owner = (await makeUser(test.db)).user_id;
});
afterAll(() => test.close());

const server = () => makeConnection(test.db, { owner_id: owner });

/** A cluster of two servers in a group of clusters, and a user in a group without grants. */
async function scene() {
  const cluster_group = await makeClusterGroup(test.db);
  const cluster = await makeCluster(test.db, { group_id: cluster_group, named_by_hand: true });
  const [a, b] = [await server(), await server()];
  for (const id of [a, b]) await joinCluster(test.db, id, { id: cluster });
  const user = await makeUser(test.db);
  const group = await makeGroup(test.db, { users: [user.user_id] });
  return {
    cluster_group,
    cluster,
    a,
    b,
    user,
    group,
    path: `/api/v1/rbac/groups/${group}/privileges/scopes`,
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const status = async (request: string, body?: object, token?: string) =>
  (await test.as(token, request, body)).status;
const onCluster = ({ cluster }: Scene, access_level = 'read') => ({
  scope: 'cluster',
  scope_id: cluster,
  access_level,
});
const onGroup = ({ cluster_group }: Scene, access_level = 'read') => ({
  scope: 'group',
  scope_id: cluster_group,
  access_level,
});
const reads = async (token: string, id: number) =>
  (await test.as(token, `GET /api/v1/connections/${id}`)).status;
const put = (id: number, cluster_id: number | null, token?: string) =>
  test.as(token, `PUT /api/v1/connections/${id}/cluster`, {
    cluster_id,
    membership_source: 'manual',
    role: '',
  });

describe('a grant on a cluster', () => {
  it('reaches the servers that are there, those that come, and none that left', async () => {
    const place = await scene();
    const { a, b, cluster, user, group, path } = place;
    const own = await makeToken(test.db, user.user_id, {
      scope: { connections: [{ connection_id: a, level: 'read' }] },
    });
    expect([await reads(user.session, a), await reads(own, a)]).toEqual([403, 403]);
    for (const _again of [1, 2]) expect(await status(`POST ${path}`, onCluster(place))).toBe(204);
    expect([await reads(user.session, a), await reads(user.session, b)]).toEqual([200, 200]);
    expect([await reads(own, a), await reads(own, b)]).toEqual([200, 403]);
    const late = await server();
    expect((await put(late, cluster)).status).toBe(200);
    expect([await reads(user.session, late), await reads(own, late)]).toEqual([200, 403]);
    expect(await test.ok(`GET /api/v1/rbac/groups/${group}`)).toMatchObject({
      scope_privileges: [
        { scope: 'cluster', scope_id: cluster, access_level: 'read', connection_ids: [a, b, late] },
      ],
    });
    const effective = Object(await test.ok(`GET /api/v1/rbac/users/${user.user_id}/privileges`));
    expect(effective.connection_privileges).toMatchObject({ [a]: 'read', [b]: 'read', [late]: 'read' });
    expect((await put(a, null)).status).toBe(200);
    expect(await status(`DELETE /api/v1/clusters/${cluster}/servers/${late}`)).toBe(204);
    expect([await reads(user.session, a), await reads(user.session, late)]).toEqual([403, 403]);
    expect(await reads(user.session, b)).toBe(200);
    // Detection brings it back, and nothing proves that it is the same.
    await joinCluster(test.db, late, { id: cluster });
    expect(await reads(user.session, late)).toBe(403);
    expect(await status(`POST ${path}`, onCluster(place, 'read_write'))).toBe(204);
    expect(await status(`DELETE ${path}/cluster/${cluster}`)).toBe(204);
    expect(await status(`DELETE ${path}/cluster/${cluster}`)).toBe(404);
    expect(await reads(user.session, b)).toBe(403);
    const audited = await auditOf(test.db, 'group', group);
    expect(audited.map(({ action }) => action)).toEqual([
      ...['group.grant', 'group.grant', 'group.grant', 'group.revoke'],
    ]);
    expect(audited[0]?.details).toMatchObject({ scope: 'cluster', scope_id: cluster, access_level: 'read' });
  });

  it('ends with the cluster, and while it is dismissed', async () => {
    const place = await scene();
    const { a, b, user, path } = place;
    await test.ok(`POST ${path}`, onCluster(place));
    await test.db.run(sql`/* test.key */
      update matriarch.clusters set auto_cluster_key = ${`binary:${a}`} where id = ${place.cluster}`);
    await test.ok(`PUT /api/v1/clusters/${place.cluster}`, { dismissed: true });
    expect(await reads(user.session, a)).toBe(403);
    await test.ok(`PUT /api/v1/clusters/${place.cluster}`, { dismissed: false });
    expect(await reads(user.session, a)).toBe(200);
    await test.db.run(sql`/* test.no_key */
      update matriarch.clusters set auto_cluster_key = null where id = ${place.cluster}`);
    await test.ok(`DELETE /api/v1/clusters/${place.cluster}`);
    expect([await reads(user.session, a), await reads(user.session, b)]).toEqual([403, 403]);
    const { rest } = await test.db.one<{ rest: number }>(sql`/* test.rest */
      select count(*)::int as rest from matriarch.group_scopes where scope = 'cluster' and scope_id = ${place.cluster}`);
    expect(rest).toBe(0);
  });

  it('is told with who has it, and which servers wait', async () => {
    const place = await scene();
    const { a, b, cluster, group, path } = place;
    const other = await makeGroup(test.db, { cluster_groups: { [place.cluster_group]: 'read_write' } });
    await test.ok(`POST ${path}`, onCluster(place));
    const detected = await server();
    await joinCluster(test.db, detected, { id: cluster });
    const about = Object(await test.ok(`GET /api/v1/rbac/scopes/cluster/${cluster}`));
    expect(about.grants).toHaveLength(2);
    expect(about.grants).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ group_id: group, scope: 'cluster', access_level: 'read', user_count: 1 }),
        expect.objectContaining({
          group_id: other,
          scope: 'group',
          access_level: 'read_write',
          user_count: 0,
        }),
      ]),
    );
    const ids = (rows: { connection_id: number }[]) =>
      rows.map((row) => row.connection_id).sort((x, y) => x - y);
    expect([ids(about.inheriting), ids(about.waiting)]).toEqual([[a, b], [detected]]);
    expect(await status('GET /api/v1/rbac/scopes/cluster/2000000000')).toBe(404);
    const { session } = await makeHolder(test.db, { permissions: ['manage_permissions'] });
    expect(await status(`GET /api/v1/rbac/scopes/cluster/${cluster}`, undefined, session)).toBe(404);
    await test.ok(`POST ${path}`, onCluster(place));
    const again = Object(await test.ok(`GET /api/v1/rbac/scopes/cluster/${cluster}`));
    expect([ids(again.inheriting), again.waiting]).toEqual([[a, b, detected], []]);
  });
});

describe('a grant on a group of clusters', () => {
  it('reaches the servers of every cluster that is put there, and none of one that is taken out', async () => {
    const place = await scene();
    const { a, user, cluster, cluster_group } = place;
    await test.ok(`POST ${place.path}`, onGroup(place, 'read_write'));
    const other = await makeCluster(test.db, { named_by_hand: true });
    const far = await server();
    await joinCluster(test.db, far, { id: other });
    expect([await reads(user.session, a), await reads(user.session, far)]).toEqual([200, 403]);
    await test.ok(`PUT /api/v1/clusters/${other}`, { group_id: cluster_group });
    expect(await reads(user.session, far)).toBe(200);
    await test.ok(`PUT /api/v1/clusters/${cluster}`, { group_id: null });
    expect([await reads(user.session, a), await reads(user.session, far)]).toEqual([403, 200]);
    await test.ok(`DELETE /api/v1/cluster-groups/${cluster_group}`);
    expect(await reads(user.session, far)).toBe(403);
  });

  it('cannot be made on the default group, nor undone by its owner alone', async () => {
    const place = await scene();
    const { id } = await test.db.one<{ id: number }>(sql`/* test.default */
      select id from matriarch.cluster_groups where is_default`);
    const refused = await test.as(undefined, `POST ${place.path}`, {
      ...onGroup(place),
      scope_id: id,
    });
    expect([refused.status, refused.error]).toEqual([400, expect.stringMatching(/^The default group/)]);
    const holder = await makeHolder(test.db, { cluster_groups: { [place.cluster_group]: 'read' } });
    await test.db.run(sql`/* test.own */
      update matriarch.cluster_groups set owner_id = ${holder.user_id} where id = ${place.cluster_group}`);
    expect(
      await status(`DELETE /api/v1/cluster-groups/${place.cluster_group}`, undefined, holder.session),
    ).toBe(403);
  });
});

describe('nobody gives more than they have', () => {
  const grants = (place: Scene, more: object = {}) => ({
    permissions: ['manage_permissions', 'manage_connections', 'manage_groups'],
    connections: { [place.a]: 'read_write' as const, [place.b]: 'read_write' as const },
    ...more,
  });

  it('to servers that come later, nor to those that wait', async () => {
    const place = await scene();
    const some = await makeHolder(test.db, grants(place));
    expect(await status(`POST ${place.path}`, onCluster(place), some.session)).toBe(403);
    const { cluster } = place;
    const holder = await makeHolder(test.db, grants(place, { clusters: { [cluster]: 'read' } }));
    expect(await status(`POST ${place.path}`, onCluster(place), holder.session)).toBe(204);
    expect(await status(`POST ${place.path}`, onCluster(place, 'read_write'), holder.session)).toBe(403);
    expect(await status(`POST ${place.path}`, onGroup(place), holder.session)).toBe(403);
    await joinCluster(test.db, await server(), { id: cluster });
    expect(await status(`POST ${place.path}`, onCluster(place), holder.session)).toBe(403);
    const limited = await makeToken(test.db, test.actors.superuser.user_id, {
      scope: { connections: [place.a, place.b].map((connection_id) => ({ connection_id, level: 'read' })) },
    });
    expect(await status(`POST ${place.path}`, onCluster(place), limited)).toBe(403);
    const all = await makeHolder(test.db, grants(place, { connections: { 0: 'read' } }));
    expect(await status(`POST ${place.path}`, onCluster(place), all.session)).toBe(204);
  });

  it('by making somebody a member of a group that has a cluster', async () => {
    const place = await scene();
    const rich = await makeGroup(test.db, { clusters: { [place.cluster]: 'read' } });
    const { user_id } = place.user;
    const some = await makeHolder(test.db, grants(place));
    expect(await status(`POST /api/v1/rbac/groups/${rich}/members`, { user_id }, some.session)).toBe(403);
    const holder = await makeHolder(test.db, grants(place, { clusters: { [place.cluster]: 'read' } }));
    expect(await status(`POST /api/v1/rbac/groups/${rich}/members`, { user_id }, holder.session)).toBe(204);
  });

  it('by moving a server into a cluster, or a cluster into a group', async () => {
    const place = await scene();
    const { cluster, cluster_group, user } = place;
    const [target, elsewhere] = [await server(), await makeCluster(test.db, { named_by_hand: true })];
    await joinCluster(test.db, target, { id: elsewhere });
    const mover = await makeHolder(test.db, {
      permissions: ['manage_connections'],
      connections: { [target]: 'read' },
      clusters: { [cluster]: 'read_write' },
    });
    await test.ok(`POST ${place.path}`, onCluster(place, 'read_write'));
    const refused = await put(target, cluster, mover.session);
    expect([refused.status, refused.error]).toEqual([
      403,
      'Groups of users would get read and write access to servers on which you do not have it yourself. Ask a user who has it.',
    ]);
    const add = { connection_id: target };
    expect(await status(`POST /api/v1/clusters/${cluster}/servers`, add, mover.session)).toBe(403);
    expect(await reads(user.session, target)).toBe(403);
    await test.ok(`DELETE ${place.path}/cluster/${cluster}`);
    await test.db.run(
      sql`/* test.no_grants */ delete from matriarch.group_scopes where scope_id = ${cluster}`,
    );
    await test.ok(`POST ${place.path}`, onGroup(place, 'read_write'));
    expect(
      await status(`PUT /api/v1/clusters/${elsewhere}`, { group_id: cluster_group }, mover.session),
    ).toBe(403);
    await test.ok(`POST ${place.path}`, onGroup(place, 'read'));
    expect(
      await status(`PUT /api/v1/clusters/${elsewhere}`, { group_id: cluster_group }, mover.session),
    ).toBe(200);
    expect(await reads(user.session, target)).toBe(200);
  });

  it('by giving a server back to detection, or showing a cluster again', async () => {
    const place = await scene();
    const { cluster, a, b, user } = place;
    await test.ok(`POST ${place.path}`, onCluster(place, 'read_write'));
    await test.db.run(sql`/* test.key */
      update matriarch.clusters set auto_cluster_key = ${`binary:${a}`} where id = ${cluster}`);
    const target = await server();
    await test.db.run(sql`/* test.node */
      insert into matriarch.topology_nodes (connection_id, cluster_key, system_identifier, detected_at)
      values (${target}, ${`binary:${a}`}, 'another', now())`);
    const back = await test.as(undefined, `PUT /api/v1/connections/${target}/cluster`, {
      cluster_id: null,
      membership_source: 'auto',
      role: '',
    });
    expect(back.body).toMatchObject({ cluster_id: cluster });
    expect(await reads(user.session, target)).toBe(403);
    const mover = await makeHolder(test.db, {
      permissions: ['manage_connections'],
      connections: { [a]: 'read', [b]: 'read', [target]: 'read' },
    });
    expect(await status(`PUT /api/v1/clusters/${cluster}`, { dismissed: true }, mover.session)).toBe(200);
    expect(await status(`PUT /api/v1/clusters/${cluster}`, { dismissed: false }, mover.session)).toBe(403);
    expect(await reads(user.session, a)).toBe(403);
  });
});

describe('access of one user to a cluster', () => {
  const level = (place: Scene, user_id: number) =>
    `/api/v1/rbac/users/${user_id}/scopes/cluster/${place.cluster}`;

  it('is given by a group that has nothing else, changed and taken away', async () => {
    const place = await scene();
    const { a, b, cluster } = place;
    const [anna, ben] = [await makeUser(test.db), await makeUser(test.db)];
    const first = Object(await test.ok(`PUT ${level(place, anna.user_id)}`, { access_level: 'read' }));
    expect(first.group_name).toMatch(/^cluster \d+: read$/);
    expect(await test.ok(`PUT ${level(place, ben.user_id)}`, { access_level: 'read' })).toEqual(first);
    const write = Object(await test.ok(`PUT ${level(place, ben.user_id)}`, { access_level: 'read_write' }));
    expect(write.group_id).not.toBe(first.group_id);
    const { grants } = Object(await test.ok(`GET /api/v1/rbac/scopes/cluster/${cluster}`));
    expect(grants).toMatchObject([
      { is_own: true, access_level: 'read', users: [{ id: anna.user_id, username: anna.username }] },
      { is_own: true, access_level: 'read_write', users: [{ id: ben.user_id, username: ben.username }] },
    ]);
    expect([await reads(anna.session, a), await reads(anna.session, b)]).toEqual([200, 200]);
    expect(await status(`DELETE ${level(place, anna.user_id)}`)).toBe(204);
    expect(await status(`DELETE ${level(place, anna.user_id)}`)).toBe(404);
    expect([await reads(anna.session, a), await reads(ben.session, a)]).toEqual([403, 200]);
    expect((await auditOf(test.db, 'group', first.group_id)).map(({ action }) => action)).toEqual([
      ...['group.create', 'group.grant', 'group.add_member', 'group.add_member'],
      ...['group.remove_member', 'group.remove_member'],
    ]);
  });

  it('never comes by a group that gives more, and takes both permissions', async () => {
    const place = await scene();
    await makeGroup(test.db, {
      clusters: { [place.cluster]: 'read' },
      permissions: ['*'],
      name: 'cluster x',
    });
    const above = await makeGroup(test.db, { clusters: { [place.cluster]: 'read' } });
    await makeGroup(test.db, { groups: [above], connections: { 0: 'read_write' } });
    const { user_id, session } = await makeUser(test.db);
    await test.ok(`PUT ${level(place, user_id)}`, { access_level: 'read' });
    expect([await reads(session, place.a), await reads(session, await server())]).toEqual([200, 403]);
    const other = await makeUser(test.db);
    const permissions = ['manage_permissions'];
    const holder = await makeHolder(test.db, { permissions, connections: { 0: 'read' } });
    const give = (token: string, access_level: string) =>
      status(`PUT ${level(place, other.user_id)}`, { access_level }, token);
    expect(await give(holder.session, 'read')).toBe(403);
    const both = await makeHolder(test.db, {
      permissions: [...permissions, 'manage_groups'],
      connections: { 0: 'read' },
    });
    expect([await give(both.session, 'read'), await give(both.session, 'read_write')]).toEqual([200, 403]);
  });
});
