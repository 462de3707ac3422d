// Streams between real servers under the real collector, as the API shows them: a primary with two standbys and a third
// one below, its death, a promotion, and what became of the cluster meanwhile.

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import {
  follow,
  promote,
  replicatingServer,
  startStandby,
  stopAtEnd,
} from '../../testing/servers/server-sets.ts';
import { rename, seenRelations, seenRoles, seenRows } from '../../testing/store/topology-seen.ts';
import { clustersRoutes } from '../clusters/clusters.routes.ts';
import { startTopology } from './keeping.ts';

const MINUTE = { timeout: 60_000, interval: 200 };

interface Server {
  name: string;
  children: Server[];
}
interface Group {
  clusters: { name: string; cluster_type: string; servers: Server[] }[];
}

const draw = ({ name, children }: Server): string =>
  children.length === 0 ? name : `${name}(${children.map(draw).join(' ')})`;

/** ['binary orders: a(b c)', …], as GET /api/v1/clusters tells it. */
async function tree(api: TestApi, token: string): Promise<string[]> {
  const { text } = await api.call('GET /api/v1/clusters', { token });
  const groups: Group[] = JSON.parse(text);
  return groups
    .flatMap(({ clusters }) => clusters)
    .map(({ name, cluster_type, servers }) => `${cluster_type} ${name}: ${servers.map(draw).join(' ')}`)
    .filter((line) => line.includes('orders-'));
}

async function servers() {
  const [a, stray] = await Promise.all([
    stopAtEnd(replicatingServer({ settings: { cluster_name: 'a' } })),
    stopAtEnd(replicatingServer({ major: 17 })),
  ]);
  const [b, c, d] = await Promise.all([
    stopAtEnd(startStandby(a, { host: 'localhost' })),
    stopAtEnd(startStandby(a)),
    stopAtEnd(startStandby(a)),
  ]);
  await follow(d, b);
  return { a, b, c, d, stray };
}

it('a promotion shows within a minute, in the same cluster', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [clustersRoutes], db: house.db });
  onTestFinished(() => api.close());
  await house.db.run(sql`/* test.promote */ update matriarch.users set is_superuser = true where id = 1`);
  const token = await makeSession(house.db, 1);
  const { a, b, c, d, stray } = await servers();
  for (const [index, server] of [a, b, c, d, stray].entries()) {
    const { host, port, superuser, password } = server;
    const as = index % 2 === 0 ? host : 'localhost';
    // The last one is called as if it belonged to them, and does not.
    await rename(
      house.db,
      await house.connect({ host: as, port, superuser, password }),
      `orders-${'abcde'[index]}`,
    );
  }
  house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url });
  onTestFinished(() => topology.stop());
  await expect
    .poll(() => tree(api, token), MINUTE)
    .toEqual(['binary orders: orders-a(orders-b(orders-d) orders-c)', 'server orders-e: orders-e']);
  await expect
    .poll(() => seenRelations(house.db), MINUTE)
    .toEqual([
      'orders-b streams_from orders-a',
      'orders-c streams_from orders-a',
      'orders-d streams_from orders-b',
    ]);
  // Who stands alone is drawn so before its role has been read.
  await expect
    .poll(() => seenRoles(house.db), MINUTE)
    .toMatchObject({
      'orders-a': 'binary_primary',
      'orders-d': 'binary_standby',
      'orders-e': 'standalone',
    });
  const [row] = await seenRows(house.db);
  const named = await api.call(`PUT /api/v1/clusters/${row?.id}`, {
    token,
    body: { name: 'Shop', description: 'Where orders are' },
  });
  expect(named.status).toBe(200);

  await a.kill();
  const killed = systemClock.monotonic();
  await promote(b);
  await follow(c, b);
  await expect
    .poll(() => tree(api, token), MINUTE)
    .toEqual(['server orders-e: orders-e', 'binary Shop: orders-a orders-b(orders-c orders-d)']);
  expect(systemClock.monotonic() - killed).toBeLessThan(60_000);
  expect(await seenRows(house.db)).toMatchObject([
    {
      id: row?.id,
      name: 'Shop',
      description: 'Where orders are',
      servers: ['orders-a', 'orders-b', 'orders-c', 'orders-d'],
    },
  ]);
  await expect
    .poll(() => seenRoles(house.db), MINUTE)
    .toMatchObject({
      'orders-b': 'binary_primary',
      'orders-c': 'binary_standby',
    });
});
