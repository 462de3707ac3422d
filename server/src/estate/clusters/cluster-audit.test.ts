// Every change of clusters, their servers, relationships and groups is in the audit log, with who and what; one that was
// refused or changed nothing is not.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { auditOf } from '../../testing/access/rbac.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected } from '../../testing/store/clusters.ts';
import { probeConfigsRoutes } from '../probe-configs/probe-configs.routes.ts';
import { clustersRoutes } from './clusters.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes, probeConfigsRoutes] });
});
afterAll(() => test.close());

async function ok(request: string, body?: object): Promise<{ id: number }> {
  const answer = await test.call(request, { token: test.actors.superuser.session, ...(body && { body }) });
  expect([200, 201, 204], answer.text).toContain(answer.status);
  return Object(answer.body);
}

const trace = async (kind: string, id: number) =>
  (await auditOf(test.db, kind, id)).map(({ action, target_name, details }) => [
    action,
    target_name,
    details,
  ]);

const add = (name: string) =>
  makeConnection(test.db, { owner_id: test.actors.superuser.user_id, name, is_monitored: false });

it('of a cluster made by hand, from its making to its end', async () => {
  const { id: group_id } = await ok('POST /api/v1/cluster-groups', { name: 'Shelf' });
  const { id } = await ok('POST /api/v1/clusters', { name: ' Orders ', description: 'All of it' });
  await ok(`PUT /api/v1/clusters/${id}`, { name: 'Ledger', group_id });
  const server = await add('one');
  await ok(`POST /api/v1/clusters/${id}/servers`, { connection_id: server });
  await ok(`DELETE /api/v1/clusters/${id}`);
  expect(await trace('cluster', id)).toEqual([
    ['cluster.create', 'Orders', { description: 'All of it' }],
    ['cluster.change', 'Ledger', { before: 'Orders', name: 'Ledger', group_id }],
    ['cluster.delete', 'Ledger', { connection_ids: [server] }],
  ]);
  const [first] = await auditOf(test.db, 'cluster', id);
  expect(first?.actor_name).toBe(test.actors.superuser.username);
});

it('of a detected cluster: dismissed, brought back', async () => {
  const a = await add('a');
  await detected(test.db, {
    key: `spock:aud${a}`,
    name: 'aud',
    type: 'spock',
    servers: [{ connection_id: a }],
  });
  await ok(`DELETE /api/v1/clusters/cluster-spock-aud${a}`);
  const { id } = await ok(`PUT /api/v1/clusters/cluster-spock-aud${a}`, { dismissed: false });
  await ok(`PUT /api/v1/clusters/${id}`, { dismissed: true });
  expect(await trace('cluster', id)).toEqual([
    ['cluster.dismiss', 'aud', {}],
    ['cluster.change', 'aud', { dismissed: false }],
    ['cluster.dismiss', 'aud', { dismissed: true }],
  ]);
});

it('of servers that are moved, and of whom they replicate from', async () => {
  const { id: cluster_id } = await ok('POST /api/v1/clusters', { name: 'Moves' });
  const [a, b] = [await add('source'), await add('target')];
  for (const connection_id of [a, b])
    await ok(`POST /api/v1/clusters/${cluster_id}/servers`, { connection_id, role: 'main' });
  const relationships = [{ target_connection_id: b, relationship_type: 'subscribes_to' }];
  const path = `/api/v1/clusters/${cluster_id}/connections/${a}/relationships`;
  await ok(`PUT ${path}`, { relationships });
  const { id: relationship } = await test.db.one<{ id: number }>(sql`/* test.relationship */
    select id from matriarch.cluster_relationships where source_connection_id = ${a}`);
  await ok(`DELETE /api/v1/clusters/${cluster_id}/relationships/${relationship}`);
  await ok(`DELETE ${path}`);
  await ok(`PUT ${path}`, { relationships });
  await ok(`DELETE ${path}`);
  await ok(`DELETE /api/v1/clusters/${cluster_id}/servers/${a}`);
  await ok(`PUT /api/v1/connections/${a}/cluster`, { cluster_id: null, membership_source: 'auto' });
  const nowhere = { cluster_id: null, cluster_name: null, role: null };
  expect(await trace('connection', a)).toEqual([
    [
      'cluster.set_server',
      'source',
      { cluster_id, cluster_name: 'Moves', membership_source: 'manual', role: 'main' },
    ],
    ['cluster.set_relationships', 'source', { cluster_id, relationships, replaced: 0 }],
    ['cluster.set_relationships', 'source', { cluster_id, removed: relationships }],
    ['cluster.set_relationships', 'source', { cluster_id, relationships, replaced: 0 }],
    ['cluster.set_relationships', 'source', { cluster_id, relationships: [], replaced: 1 }],
    ['cluster.set_server', 'source', { ...nowhere, membership_source: 'manual' }],
    ['cluster.set_server', 'source', { ...nowhere, membership_source: 'auto' }],
  ]);
});

it('of a group, and nothing of what was refused', async () => {
  const { id } = await ok('POST /api/v1/cluster-groups', { name: 'Attic', is_shared: true });
  await ok('POST /api/v1/cluster-groups', { name: 'Cellar' });
  const token = test.actors.superuser.session;
  const taken = await test.call(`PUT /api/v1/cluster-groups/${id}`, { token, body: { name: 'Cellar' } });
  expect(taken.status).toBe(409);
  await ok(`PUT /api/v1/cluster-groups/${id}`, { name: 'Loft', description: 'Up there' });
  await ok(`DELETE /api/v1/cluster-groups/${id}`);
  expect(await trace('cluster_group', id)).toEqual([
    ['cluster_group.create', 'Attic', { is_shared: true }],
    ['cluster_group.change', 'Loft', { before: 'Attic', name: 'Loft', description: 'Up there' }],
    ['cluster_group.delete', 'Loft', {}],
  ]);
});

it('of what probes are set to', async () => {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.config */
    select id from matriarch.probe_configs where probe_name = 'pg_stat_wal'`);
  await ok(`PUT /api/v1/probe-configs/${id}`, { is_enabled: false });
  await ok(`POST /api/v1/probe-configs/${id}/reset`);
  const values = { is_enabled: true, collection_interval_seconds: 600 };
  expect(await trace('probe', id)).toMatchObject([
    ['settings.change', 'pg_stat_wal', { ...values, is_enabled: false, is_reset: false }],
    ['settings.change', 'pg_stat_wal', { ...values, is_reset: true }],
  ]);
});
