// A server that was taken out of a cluster, over HTTP: it is pinned to none, whatever it belonged to before, and what
// was said or detected of it within that cluster is over.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected, joinCluster, makeCluster, relate } from '../../testing/store/clusters.ts';
import { clustersRoutes } from './clusters.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes] });
});
afterAll(() => test.close());

async function call<T>(request: string, body?: unknown): Promise<T> {
  const { status, text } = await test.call(request, {
    token: test.actors.superuser.session,
    ...(body ? { body } : {}),
  });
  expect(status, text).toBeLessThan(300);
  return text === '' ? JSON.parse('null') : JSON.parse(text);
}

interface TreeServer {
  id: number;
  relationships: { target_server_id: number; is_auto_detected: boolean }[];
  children: TreeServer[];
}
interface TreeGroup {
  clusters: { id: string; name: string; servers: TreeServer[] }[];
}

/** [cluster, name of the cluster, targets of its relationships] of a server in the tree. */
async function inTree(id: number) {
  const tree = await call<TreeGroup[]>('GET /api/v1/clusters');
  const all = (servers: TreeServer[]): TreeServer[] => servers.flatMap((one) => [one, ...all(one.children)]);
  return tree.flatMap(({ clusters }) =>
    clusters.flatMap((cluster) =>
      all(cluster.servers)
        .filter((server) => server.id === id)
        .map(({ relationships }) => [
          cluster.id,
          cluster.name,
          relationships.map((one) => one.target_server_id),
        ]),
    ),
  );
}

const info = async (id: number) =>
  (await call<{ info: { cluster_id: number | null } }>(`GET /api/v1/connections/${id}/cluster`)).info;

const server = (name: string) =>
  makeConnection(test.db, { owner_id: test.actors.superuser.user_id, name, is_monitored: false });

it('is in no cluster, though it once had a row of its own', async () => {
  const lone = await server('once-alone');
  const row = await call<{ id: number }>(`PUT /api/v1/clusters/server-${lone}`, { name: 'Named alone' });
  const cluster_id = await makeCluster(test.db, { name: 'many' });
  await call(`POST /api/v1/clusters/${cluster_id}/servers`, { connection_id: lone });
  await call(`DELETE /api/v1/clusters/${cluster_id}/servers/${lone}`);
  expect(await info(lone)).toMatchObject({
    cluster_id: null,
    cluster_name: null,
    membership_source: 'manual',
  });
  expect(await inTree(lone)).toEqual([[`server-${lone}`, 'once-alone', []]]);
  for (const id of [row.id, cluster_id]) expect(await call(`GET /api/v1/clusters/${id}/servers`)).toEqual([]);

  // Whoever says something of the server by itself means that row again.
  await call(`PUT /api/v1/clusters/server-${lone}`, { description: 'Alone for good' });
  expect(await info(lone)).toMatchObject({ cluster_id: row.id, membership_source: 'manual' });
  await call(`DELETE /api/v1/clusters/server-${lone}`);
  expect(await inTree(lone)).toEqual([]);
});

it('leaves its relationships behind, and a detected one shows only within a cluster', async () => {
  const [a, b] = [await server('rel-a'), await server('rel-b')];
  const cluster_id = await makeCluster(test.db, { name: 'related', key: `binary:${a}` });
  await detected(test.db, {
    key: `binary:${a}`,
    name: 'related',
    type: 'binary',
    servers: [{ connection_id: a }, { connection_id: b, parent: a }],
  });
  for (const one of [a, b]) await joinCluster(test.db, one, { id: cluster_id });
  await relate(test.db, { source: b, target: a });
  for (const [source, target] of [
    [a, b],
    [b, a],
  ] as const)
    await relate(test.db, { source, target, type: 'subscribes_to', cluster_id });
  const listed = async () => ({
    cluster: (await call<unknown[]>(`GET /api/v1/clusters/${cluster_id}/relationships`)).length,
    a: (await call<{ relationships: unknown[] }>(`GET /api/v1/connections/${a}/cluster`)).relationships
      .length,
    tree: [...(await inTree(a)), ...(await inTree(b))].map(([, , targets]) => targets),
  });
  expect(await listed()).toEqual({ cluster: 3, a: 3, tree: [[b], [a, a]] });
  await call(`DELETE /api/v1/clusters/${cluster_id}/servers/${b}`);
  expect(await listed()).toEqual({ cluster: 0, a: 0, tree: [[], []] });
  await call(`POST /api/v1/clusters/${cluster_id}/servers`, { connection_id: b });
  expect(await listed()).toEqual({ cluster: 1, a: 1, tree: [[], [a]] });
});
