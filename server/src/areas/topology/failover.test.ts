// Streams between real servers under the real collector: a primary with two standbys and a third one below, its death, a
// promotion, and what became of the cluster meanwhile.
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { follow, promote, replicatingServer, startStandby, stopAtEnd } from '../../testing/server-sets.ts';
import { rename, seen, seenRelations, seenRoles, seenRows } from '../../testing/topology-seen.ts';
import { startTopology } from './background.ts';

const MINUTE = { timeout: 60_000, interval: 100 };

it('a promotion shows within a minute, in the same cluster', { timeout: 120_000 }, async () => {
  const house = await newHouse();
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
  const ids: number[] = [];
  for (const [index, server] of [a, b, c, d, stray].entries()) {
    const { host, port, superuser, password } = server;
    const id = await house.connect({ host: index % 2 === 0 ? host : 'localhost', port, superuser, password });
    // The last one is called as if it belonged to them, and does not.
    await rename(house.db, id, `orders-${'abcde'[index]}`);
    ids.push(id);
  }
  const collector = house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url, everyMs: 1000 });
  onTestFinished(() => topology.stop());
  await expect
    .poll(() => seen(house.db), MINUTE)
    .toEqual({
      [`binary:${ids[0]}`]: 'binary: orders-a(orders-b(orders-d) orders-c)',
      [`standalone:${ids[4]}`]: 'server: orders-e',
    });
  expect(await seenRelations(house.db)).toEqual([
    'orders-b streams_from orders-a',
    'orders-c streams_from orders-a',
    'orders-d streams_from orders-b',
  ]);
  expect(await seenRoles(house.db)).toMatchObject({
    'orders-a': 'binary_primary',
    'orders-d': 'binary_standby',
  });
  const [row] = await seenRows(house.db);
  expect(row).toMatchObject({ name: 'orders', servers: ['orders-a', 'orders-b', 'orders-c', 'orders-d'] });
  await house.db.run(sql`/* test.name */
    update matriarch.clusters set name = 'Shop', named_by_hand = true, description = 'Where orders are'`);

  await a.kill();
  const killed = systemClock.monotonic();
  await promote(b);
  await follow(c, b);
  await expect
    .poll(() => seen(house.db), MINUTE)
    .toEqual({
      [`binary:${ids[1]}`]: 'binary: orders-a orders-b(orders-c orders-d)',
      [`standalone:${ids[4]}`]: 'server: orders-e',
    });
  expect(systemClock.monotonic() - killed).toBeLessThan(60_000);
  expect(await seenRows(house.db)).toEqual([
    {
      id: row?.id,
      name: 'Shop',
      description: 'Where orders are',
      auto_cluster_key: `binary:${ids[1]}`,
      dismissed: false,
      servers: ['orders-a', 'orders-b', 'orders-c', 'orders-d'],
    },
  ]);
  const roles = await seenRoles(house.db);
  expect(roles).toMatchObject({ 'orders-b': 'binary_primary', 'orders-c': 'binary_standby' });
  expect(collector.holding).toHaveLength(5);
});
