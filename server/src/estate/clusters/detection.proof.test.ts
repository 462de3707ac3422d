// From two real servers to the tree: the real collector reads a primary and its standby, detection judges, and
// GET /clusters shows the standby under its upstream with all that is known of both.

import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { collectHost, HOST_PROBE } from '../../probes/hosts/collect.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { replicatingServer, startStandby, stopAtEnd } from '../../testing/servers/server-sets.ts';
import { rename } from '../../testing/store/topology-seen.ts';
import { startTopology } from '../topology/keeping.ts';
import { clustersRoutes } from './clusters.routes.ts';

const MINUTE = { timeout: 60_000, interval: 200 };

it('a primary and its standby show as one cluster, read and judged by the real parts', {
  timeout: 300_000,
}, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [clustersRoutes], db: house.db });
  onTestFinished(() => api.close());
  await house.db.run(sql`/* test.promote */ update matriarch.users set is_superuser = true where id = 1`);
  const token = await makeSession(house.db, 1);
  const primary = await stopAtEnd(replicatingServer());
  const standby = await stopAtEnd(startStandby(primary));
  const [a, b] = [await house.connect(primary), await house.connect(standby)];
  await rename(house.db, a, 'orders-a');
  await rename(house.db, b, 'orders-b');
  house.start({ hosts: { probe: HOST_PROBE, interval_seconds: 600, collect: collectHost } });
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url });
  onTestFinished(() => topology.stop());

  const tree = async () => {
    const answer = await api.call('GET /api/v1/clusters', { token });
    expect(answer.status, answer.text).toBe(200);
    return Object(answer.body)[0]?.clusters;
  };
  const known = {
    status: 'online',
    version: expect.stringMatching(/^18\.\d+/),
    os: expect.stringMatching(/\S/),
    membership_source: 'auto',
    active_alert_count: 0,
    database_name: 'postgres',
  };
  await expect.poll(tree, MINUTE).toMatchObject([
    {
      id: expect.stringMatching(/^cluster-\d+$/),
      name: 'orders',
      cluster_type: 'binary',
      replication_type: 'binary',
      auto_cluster_key: `binary:${a}`,
      servers: [
        {
          ...known,
          id: a,
          name: 'orders-a',
          port: primary.port,
          role: 'binary_primary',
          primary_role: 'binary_primary',
          is_expandable: true,
          relationships: [],
          children: [
            {
              ...known,
              id: b,
              name: 'orders-b',
              port: standby.port,
              role: 'binary_standby',
              primary_role: 'binary_standby',
              is_expandable: false,
              children: [],
              relationships: [
                {
                  target_server_id: a,
                  target_server_name: 'orders-a',
                  relationship_type: 'streams_from',
                  is_auto_detected: true,
                },
              ],
            },
          ],
        },
      ],
    },
  ]);
  const [cluster] = Object(await tree());
  const { id, cluster_key } = await house.db.one<{ id: number; cluster_key: string }>(sql`/* test.scope */
    select cluster_id as id, cluster_key from matriarch.connection_scopes where connection_id = ${b}`);
  expect([`cluster-${id}`, cluster_key]).toEqual([cluster.id, `binary:${a}`]);
  const { body } = await api.call(`GET /api/v1/clusters/${id}/servers`, { token });
  expect(body).toMatchObject([
    { id: a, role: 'binary_primary', status: 'online' },
    { id: b, role: 'binary_standby', status: 'online' },
  ]);
});
