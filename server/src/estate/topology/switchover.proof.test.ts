// A pair that changes places under the real collector: the old primary is shut down, its standby promoted, and the old
// one comes back as a standby. What the pair is called and who is pinned stays through all of it.
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import {
  promote,
  replicatingServer,
  returnAsStandby,
  startStandby,
  stopAtEnd,
  untilTrue,
} from '../../testing/servers/server-sets.ts';
import { rename, seen, seenRoles, seenRows } from '../../testing/store/topology-seen.ts';
import { startTopology } from './keeping.ts';

const MINUTE = { timeout: 60_000, interval: 100 };

it('a pair stays one cluster through a switch-over and the return', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const one = await stopAtEnd(replicatingServer({ major: 16 }));
  const two = await stopAtEnd(startStandby(one, { host: 'localhost' }));
  const first = await house.connect(one);
  const second = await house.connect({ ...two, host: 'localhost', superuser: two.superuser });
  await rename(house.db, first, 'east');
  await rename(house.db, second, 'west');
  house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url, everyMs: 1000 });
  onTestFinished(() => topology.stop());
  await expect.poll(() => seen(house.db), MINUTE).toEqual({ [`binary:${first}`]: 'binary: east(west)' });
  // The same server again, under another name and for another database. A cluster keeps the name of whoever is seen first.
  const again = await house.connect({ ...one, host: 'localhost' }, { database: 'template1' });
  await rename(house.db, again, 'zz alias of east');
  await expect
    .poll(() => seen(house.db), MINUTE)
    .toEqual({ [`binary:${first}`]: 'binary: east(west) zz alias of east' });
  await expect.poll(async () => (await seenRows(house.db))[0]?.servers, MINUTE).toHaveLength(3);
  const [row] = await seenRows(house.db);
  expect(row).toMatchObject({ name: 'east', servers: ['east', 'west', 'zz alias of east'] });
  await house.db.run(sql`/* test.pin */
    update matriarch.connections set membership_source = 'manual', cluster_id = null where id = ${again}`);

  await untilTrue(one, `exists (select from pg_stat_replication where replay_lsn = pg_current_wal_lsn())`);
  await one.shutdown();
  await promote(two);
  await expect
    .poll(() => seen(house.db), MINUTE)
    .toEqual({ [`binary:${second}`]: 'binary: east west zz alias of east' });
  expect(await seenRoles(house.db)).toMatchObject({ west: 'binary_primary' });

  await returnAsStandby(one, two);
  await expect
    .poll(() => seen(house.db), MINUTE)
    .toEqual({ [`binary:${second}`]: 'binary: west(east zz alias of east)' });
  expect(await seenRoles(house.db)).toEqual({
    east: 'binary_standby',
    west: 'binary_primary',
    'zz alias of east': 'binary_standby',
  });
  expect(await seenRows(house.db)).toEqual([
    {
      id: row?.id,
      name: 'east',
      description: '',
      auto_cluster_key: `binary:${second}`,
      dismissed: false,
      servers: ['east', 'west'],
    },
  ]);
});
