// Logical replication between real servers of several versions under the real collector, with names and databases that
// are the same everywhere.
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import type { Major } from '../../testing/servers/postgres.ts';
import { replicatingServer, stopAtEnd, subscribe } from '../../testing/servers/server-sets.ts';
import { rename, seen, seenRelations, seenRoles } from '../../testing/store/topology-seen.ts';
import { startTopology } from './keeping.ts';

const MINUTE = { timeout: 60_000, interval: 100 };

const start = (major: Major) => stopAtEnd(replicatingServer({ major }));

it('publishers and subscribers belong together by address and slot', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const [old, fresh, left, right, other] = await Promise.all([
    start(17),
    start(18),
    start(16),
    start(16),
    start(18),
  ]);
  await subscribe(fresh, old, { name: 'upgrade', host: 'localhost' });
  await subscribe(left, right, { name: 'theirs', ownChangesOnly: true });
  await subscribe(right, left, { name: 'ours', ownChangesOnly: true });
  // As if it published to the same subscriber: publication, slot, database and names are the same.
  await other.query('create publication everything for all tables');
  await other.query(`select pg_create_logical_replication_slot('upgrade', 'pgoutput')`);
  await fresh.query(`create role watcher login password 'watcher' in role pg_monitor`);
  const ids = {
    old: await house.connect(old),
    // May not read where its subscription leads.
    fresh: await house.connect(fresh, { username: 'watcher', password: 'watcher' }),
    left: await house.connect({ ...left, host: 'localhost' }),
    right: await house.connect(right),
    other: await house.connect(other),
  };
  for (const [name, id] of Object.entries(ids)) await rename(house.db, id, `shop-${name}`);
  house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url, everyMs: 1000 });
  onTestFinished(() => topology.stop());
  // Of two that publish to each other, the one that was seen to publish first leads.
  const byLeft = async () => {
    const { [`logical:${ids.right}`]: pair, ...others } = await seen(house.db);
    return pair === undefined ? others : { ...others, [`logical:${ids.left}`]: pair };
  };
  await expect.poll(byLeft, MINUTE).toEqual({
    [`logical:${ids.old}`]: 'logical: shop-fresh shop-old',
    [`logical:${ids.left}`]: 'logical: shop-left shop-right',
    [`standalone:${ids.other}`]: 'server: shop-other',
  });
  await expect
    .poll(() => seenRelations(house.db), MINUTE)
    .toEqual([
      'shop-fresh subscribes_to shop-old',
      'shop-left replicates_with shop-right',
      'shop-right replicates_with shop-left',
    ]);
  await expect
    .poll(() => seenRoles(house.db), MINUTE)
    .toEqual({
      'shop-old': 'logical_publisher',
      'shop-fresh': 'logical_subscriber',
      'shop-left': 'logical_bidirectional',
      'shop-right': 'logical_bidirectional',
      'shop-other': 'logical_publisher',
    });
  await fresh.query('drop subscription upgrade');
  await expect
    .poll(() => seenRelations(house.db), MINUTE)
    .toEqual(['shop-left replicates_with shop-right', 'shop-right replicates_with shop-left']);
});
