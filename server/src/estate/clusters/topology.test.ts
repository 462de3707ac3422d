// The tree over HTTP: what stands where, who sees what of it, and what it costs.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileReply } from '../../kernel/reply-filter.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { detected, joinCluster, makeCluster, makeGroup, relate } from '../../testing/store/clusters.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { getTopology } from './clusters.contract.ts';
import { clustersRoutes } from './clusters.routes.ts';

let test: TestApi;
let boss: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes, connectionsRoom] });
  boss = test.actors.superuser.session;
});
afterAll(() => test.close());

interface Server {
  id: number;
  name: string;
  children: Server[];
  [member: string]: unknown;
}
interface Cluster {
  id: string;
  name: string;
  cluster_type: string;
  servers: Server[];
  [member: string]: unknown;
}
interface Group {
  id: string;
  name: string;
  clusters: Cluster[];
}

const call = (request: string, body?: unknown, token = boss) =>
  test.call(request, { token, ...(body !== undefined && { body }) });

async function tree(token: string): Promise<Group[]> {
  const { status, text } = await call('GET /api/v1/clusters', undefined, token);
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

/** As text: `cluster-1 a[2 3(4)]`, one line for each cluster of the groups that hold any. */
async function drawn(token: string, hidden: readonly number[] = []): Promise<string[]> {
  const server = ({ name, children }: Server): string =>
    children.length > 0 ? `${name}(${children.map(server).join(' ')})` : name;
  return (await tree(token)).flatMap(({ clusters }) =>
    clusters.flatMap(({ id, cluster_type, servers }) =>
      servers.some((one) => hidden.includes(one.id))
        ? []
        : [`${id} ${cluster_type}: ${servers.map(server).join(' ')}`],
    ),
  );
}

/** Somebody who sees what is theirs and nothing else: the tests' shared connection is everybody's. */
async function person() {
  const { user_id, session } = await makeUser(test.db);
  const add = (name: string, is_monitored = false) =>
    makeConnection(test.db, { owner_id: user_id, name, is_monitored });
  const own = async (...names: string[]) => {
    const ids: number[] = [];
    for (const name of names) ids.push(await add(name));
    return ids;
  };
  const sees = () => drawn(session, [test.actors.shared_connection]);
  return { user_id, session, add, own, sees };
}

describe('the tree', () => {
  it('shows a server with all that is known of it', async () => {
    const { user_id, session, add } = await person();
    const [a, b] = [await add('alpha', true), await add('beta', true)];
    const { username } = await test.db.one<{ username: string }>(sql`/* test.username */
      select username from matriarch.users where id = ${user_id}`);
    await detected(test.db, {
      key: `spock:known${a}`,
      name: 'known',
      type: 'spock',
      replication_type: 'spock',
      servers: [
        {
          connection_id: a,
          primary_role: 'spock_node',
          version: '18.4',
          os: 'Debian GNU/Linux 12',
          spock_node_name: 'n1',
          spock_version: '5.0',
        },
        { connection_id: b },
      ],
    });
    await relate(test.db, { source: a, target: b, type: 'replicates_with' });
    await collected(test.db, { connection_id: a, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] });
    await reported(test.db, b, 'The password is not right.');
    const groups = await tree(session);
    const cluster = groups[0]?.clusters.find(({ id }) => id === `cluster-spock-known${a}`);
    const common = { description: '', host: '127.0.0.1', port: 9, active_alert_count: 0, children: [] };
    const kept = {
      is_expandable: false,
      membership_source: 'auto',
      owner_username: username,
      database_name: 'postgres',
      username: 'nobody',
    };
    expect(groups[0]).toMatchObject({ id: 'group-1', is_default: true, description: '', is_shared: true });
    expect(cluster).toEqual({
      id: `cluster-spock-known${a}`,
      name: 'known',
      cluster_type: 'spock',
      replication_type: 'spock',
      auto_cluster_key: `spock:known${a}`,
      servers: [
        {
          ...common,
          ...kept,
          id: a,
          name: 'alpha',
          status: 'online',
          role: 'spock_node',
          primary_role: 'spock_node',
          version: '18.4',
          os: 'Debian GNU/Linux 12',
          spock_node_name: 'n1',
          spock_version: '5.0',
          relationships: [
            {
              target_server_id: b,
              target_server_name: 'beta',
              relationship_type: 'replicates_with',
              is_auto_detected: true,
            },
          ],
        },
        {
          ...common,
          ...kept,
          id: b,
          name: 'beta',
          status: 'initialising',
          connection_error: 'The password is not right.',
          primary_role: 'unknown',
          relationships: [],
        },
      ],
    });
  });

  it('puts standbys under their upstream only, and a server without clusters by itself', async () => {
    const { own, sees } = await person();
    const [top = 0, down = 0, deep = 0, alone] = await own('top', 'down', 'deep', 'alone');
    const key = `binary:${top}`;
    const cluster = await makeCluster(test.db, { key, name: 'x' });
    await detected(test.db, {
      key,
      name: 'ha',
      type: 'binary',
      servers: [
        { connection_id: top, primary_role: 'binary_primary' },
        { connection_id: down, primary_role: 'binary_standby', parent: top },
        { connection_id: deep, primary_role: 'binary_standby', parent: down },
      ],
    });
    for (const id of [top, down, deep]) await joinCluster(test.db, id, { id: cluster });
    expect(await sees()).toEqual([
      `server-${alone} server: alone`,
      `cluster-${cluster} binary: top(down(deep))`,
    ]);
    await call(`PUT /api/v1/connections/${down}/cluster`, { cluster_id: null, membership_source: 'manual' });
    expect(await sees()).toEqual([
      `server-${alone} server: alone`,
      `server-${down} server: down`,
      `cluster-${cluster} binary: deep top`,
    ]);
  });

  it('nests by what somebody said where nothing was detected', async () => {
    const { own, sees } = await person();
    const [main = 0, copy = 0] = await own('main', 'copy');
    const cluster = await makeCluster(test.db);
    for (const id of [main, copy]) await joinCluster(test.db, id, { id: cluster, membership: 'manual' });
    await relate(test.db, { source: copy, target: main, cluster_id: cluster });
    expect(await sees()).toEqual([`cluster-${cluster} manual: main(copy)`]);
    await relate(test.db, { source: main, target: copy, cluster_id: cluster });
    expect(await sees()).toEqual([`cluster-${cluster} manual: copy(main)`]);
  });

  it('shows servers of a dismissed cluster alone, and a dismissed lone server not at all', async () => {
    const { own, sees } = await person();
    const [a = 0, b = 0] = await own('a', 'b');
    const key = `spock:dis${a}`;
    const servers = [a, b].map((connection_id) => ({ connection_id }));
    await detected(test.db, { key, name: 'dis', type: 'spock', servers });
    expect(await sees()).toEqual([`cluster-spock-dis${a} spock: a b`]);
    await call(`DELETE /api/v1/clusters/cluster-spock-dis${a}`);
    expect(await sees()).toEqual([`server-${a} server: a`, `server-${b} server: b`]);
    await call(`DELETE /api/v1/clusters/server-${b}`);
    expect(await sees()).toEqual([`server-${a} server: a`]);
    const renamed = Object((await call(`PUT /api/v1/clusters/server-${a}`, { name: `Ape ${a}` })).body);
    expect(await sees()).toEqual([`cluster-${renamed.id} server: a`]);
    await call(`PUT /api/v1/clusters/server-${b}`, { dismissed: false });
    expect(await sees()).toHaveLength(2);
    await call(`PUT /api/v1/connections/${a}/cluster`, { cluster_id: null, membership_source: 'auto' });
    const back = Object((await call(`GET /api/v1/clusters/cluster-spock-dis${a}`)).body);
    expect(await sees()).toEqual([`cluster-${back.id} spock: a b`]);
  });

  it('puts clusters into their groups, the default group first, then by name', async () => {
    const { user_id, session, own } = await person();
    const [a = 0, b = 0, c] = await own('a', 'b', 'c');
    const zoo = await makeGroup(test.db, { name: `zoo ${a}`, owner_id: user_id });
    const ark = await makeGroup(test.db, { name: `Ark ${a}` });
    const [first, second] = [
      await makeCluster(test.db, { group_id: zoo, name: `B ${a}` }),
      await makeCluster(test.db, { group_id: ark }),
    ];
    const third = await makeCluster(test.db, { group_id: zoo, name: `a ${a}`, key: `standalone:${c}` });
    await joinCluster(test.db, a, { id: first, membership: 'manual' });
    await joinCluster(test.db, b, { id: second, membership: 'manual' });
    const described = { name: `zoo ${a}`, description: 'Animals', is_shared: true };
    const changed = await test.call(`PUT /api/v1/cluster-groups/${zoo}`, { token: session, body: described });
    expect(changed.status, changed.text).toBe(200);
    const groups = await tree(session);
    expect(groups.slice(1)).toMatchObject([{ description: '', is_shared: false }, described]);
    const shown = groups.map(({ id, clusters }) => [id, clusters.map((one) => one.id)]);
    const own_shared = `server-${test.actors.shared_connection}`;
    expect(shown).toEqual([
      ['group-1', [own_shared]],
      [`group-${ark}`, [`cluster-${second}`]],
      [`group-${zoo}`, [`cluster-${first}`, `cluster-${third}`]],
    ]);
  });

  it('S12 shows nothing of what the caller does not see, and what is empty only to who manages connections', async () => {
    const { user_id, own, sees } = await person();
    const stranger = await person();
    const [mine = 0] = await own('mine');
    const [theirs = 0] = await stranger.own('theirs');
    const cluster = await makeCluster(test.db);
    for (const id of [mine, theirs]) await joinCluster(test.db, id, { id: cluster, membership: 'manual' });
    await relate(test.db, { source: mine, target: theirs, cluster_id: cluster });
    await detected(test.db, {
      key: `binary:${theirs}`,
      name: 'x',
      type: 'binary',
      servers: [{ connection_id: mine, parent: theirs }],
    });
    expect(await sees()).toEqual([`cluster-${cluster} manual: mine`]);
    expect(await stranger.sees()).toEqual([`cluster-${cluster} manual: theirs`]);
    const text = JSON.stringify(await tree(stranger.session));
    expect(text).not.toContain('mine');

    const group = await makeGroup(test.db, { owner_id: user_id });
    const empty = await makeCluster(test.db, { group_id: group });
    const ghost = await makeCluster(test.db, { group_id: group, key: `standalone:${theirs}` });
    const bare = await makeGroup(test.db);
    const token = await makeToken(test.db, test.actors.superuser.user_id, {
      scope: { admin: ['manage_connections'], connections: [] },
    });
    const managed = await tree(token);
    const clusters = managed.flatMap((one) => one.clusters.map(({ id }) => id));
    expect(managed.map(({ id }) => id)).toEqual(expect.arrayContaining([`group-${group}`, `group-${bare}`]));
    expect(clusters).toContain(`cluster-${empty}`);
    expect(clusters).not.toContain(`cluster-${cluster}`);
    expect(clusters).not.toContain(`cluster-${ghost}`);
    expect(await sees()).toEqual([`cluster-${cluster} manual: mine`]);
    const nothing = await makeToken(test.db, user_id, { scope: { connections: [] } });
    expect(await tree(nothing)).toEqual([]);
  });

  it('fits its schema to the letter', async () => {
    const { own, session } = await person();
    const [a = 0, b = 0] = await own('a', 'b');
    const servers = [{ connection_id: a }, { connection_id: b, parent: a, primary_role: 'spock_standby' }];
    await detected(test.db, { key: `spock:fit${a}`, name: 'fit', type: 'spock_ha', servers });
    await relate(test.db, { source: b, target: a });
    for (const token of [session, boss]) {
      const { text } = await call('GET /api/v1/clusters', undefined, token);
      expect(compileReply(getTopology.success.schema)(JSON.parse(text))).toBe(text);
    }
  });

  it('shows a relationship once that was detected and set by hand', async () => {
    const { own, session } = await person();
    const [a = 0, b = 0] = await own('a', 'b');
    const cluster = await makeCluster(test.db);
    for (const id of [a, b]) await joinCluster(test.db, id, { id: cluster });
    await relate(test.db, { source: a, target: b, type: 'subscribes_to', cluster_id: cluster });
    await relate(test.db, { source: a, target: b, type: 'subscribes_to' });
    await relate(test.db, { source: a, target: b, type: 'replicates_with', cluster_id: cluster });
    const clusters = (await tree(session)).flatMap((group) => group.clusters);
    const server = clusters.find(({ id }) => id === `cluster-${cluster}`)?.servers[0];
    expect(server?.relationships).toMatchObject([
      { relationship_type: 'replicates_with', is_auto_detected: false },
      { relationship_type: 'subscribes_to', is_auto_detected: true },
    ]);
  });

  it('carries hostile names as they are', async () => {
    const { own, session } = await person();
    const names = ['"><script>', "'; drop table x; --", '\u202egnp.exe', '%s%n$1', '日本'];
    await own(...names);
    const text = JSON.stringify(await tree(session));
    for (const name of names) expect(text).toContain(JSON.stringify(name).slice(1, -1));
  });

  it('loses a connection that is deleted, with its relationships and the row that stood for it', async () => {
    const { own, sees } = await person();
    const [a = 0, b = 0] = await own('a', 'b');
    const lone = Object((await call(`PUT /api/v1/clusters/server-${a}`, { name: `Lone ${a}` })).body);
    await relate(test.db, { source: a, target: b });
    expect((await call(`DELETE /api/v1/connections/${a}`)).status).toBe(204);
    expect(await sees()).toEqual([`server-${b} server: b`]);
    expect((await call(`GET /api/v1/clusters/${lone.id}`)).status).toBe(404);
    const left = await test.db.rows(sql`/* test.left */
      select from matriarch.cluster_relationships where ${a}::int in (source_connection_id, target_connection_id)`);
    expect(left).toEqual([]);
  });

  it('costs one statement beside the sign-in, and six when something has changed, for a thousand servers in a hundred clusters', async () => {
    const { user_id, session } = await person();
    await test.db.run(sql`/* test.many */
      with made as (
        insert into matriarch.connections (owner_id, name, host, port, database_name, username, cluster_id)
        select ${user_id}, 'many-' || n, 'h', 1, 'd', 'u', null
        from generate_series(1, 1000) n
        returning id
      ), placed as (
        select id, (row_number() over (order by id) - 1) / 10 as nth, first_value(id) over (
          partition by (id - (select min(id) from made)) / 10 order by id
        ) as head
        from made
      ), seen as (
        insert into matriarch.topology_nodes (connection_id, cluster_key, parent_connection_id, detected_at)
        select id, 'spock:many' || nth, nullif(head, id), now() from placed
      )
      insert into matriarch.topology_clusters (cluster_key, cluster_type, name, detected_at)
      select distinct 'spock:many' || nth, 'spock_ha', 'many ' || nth, now() from placed`);
    test.statements.reset();
    const groups = await tree(session);
    expect(test.statements.sent.map((text) => /^\/\* (\S+)/.exec(text)?.[1])).toEqual([
      'access.authenticate',
      'topology.visibility',
      'topology.servers',
      'topology.places',
      'topology.detected',
      'topology.shelves',
      'topology.relationships',
      'topology.states',
    ]);
    expect(test.statements.sent.some((text) => /\b(insert|update|delete)\b/.test(text))).toBe(false);
    const clusters = groups
      .flatMap((one) => one.clusters)
      .filter(({ id }) => id.startsWith('cluster-spock-many'));
    expect(clusters).toHaveLength(100);
    expect(clusters.map(({ servers }) => servers.map(({ children }) => children.length))).toEqual(
      clusters.map(() => [9]),
    );
    await expect
      .poll(async () => {
        test.statements.reset();
        expect(await tree(session)).toEqual(groups);
        return test.statements.sent.map((text) => /^\/\* (\S+)/.exec(text)?.[1]);
      })
      .toEqual(['access.authenticate', 'topology.visibility']);
  });
});
