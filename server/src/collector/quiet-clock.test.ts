// A collector hears of every change at once, and sets the statement timeout of a server once for all statements that want the
// same. How seldom it asks its datastore, in real seconds: quiet-clock.proof.test.ts.
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { probes } from '../probes/catalog.gen.ts';
import { defineProbe } from '../probes/types.ts';
import { houseOnCluster, movedSamples, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';

const TABLES = ['connections', 'probe_configs', 'probe_overrides', 'clusters', 'cluster_groups'] as const;

it('a round trip sets the statement timeout once, however many statements want the other one', async () => {
  const { datastore, house } = await houseOnCluster();
  await datastore.query('create extension pg_stat_statements');
  const { roundTripColumn: _, ...pulse } = EVERY_SECOND;
  const waiting = (name: string, timeoutMs: number) => defineProbe({ ...pulse, name, caps: { timeoutMs } });
  const mixed = [waiting('a', 15_000), waiting('b', 5000), waiting('c', 15_000), waiting('d', 5000)];
  // Sessions of a superuser say that they are not counted.
  await datastore.query(`create role watcher login password 'watcher' in role pg_monitor`);
  const id = await house.connect(datastore, { username: 'watcher', password: 'watcher' });
  house.start({ probes: [EVERY_SECOND, ...mixed] });
  await movedSamples(house, id, 8);
  const calls = async (name: string) => {
    const [row] = await datastore.query(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query like '%${name} %'`,
    );
    return Number(row?.calls);
  };
  const [pings, changes] = [await calls('collector.ping'), await calls('collector.timeout')];
  expect(changes).toBeGreaterThan(0);
  expect(changes).toBeLessThanOrEqual(pings);
});

it('there are two statement timeouts, since each further one is set and unset in every session', () => {
  const timeouts = new Set(probes.map(({ caps }) => caps.timeoutMs));
  expect([...timeouts].toSorted((a, b) => a - b)).toEqual([5000, 15_000]);
});

it('whoever changes what collectors look for tells them', async () => {
  const { datastore } = await houseOnCluster();
  const listener = new pg.Client({ connectionString: datastore.url });
  await listener.connect();
  onTestFinished(() => listener.end());
  let told = 0;
  listener.on('notification', () => {
    told += 1;
  });
  await listener.query('listen matriarch_collectors');
  for (const [index, table] of TABLES.entries()) {
    await datastore.query(`delete from matriarch.${table} where false`);
    await expect.poll(() => told, SOON).toBe(index + 1);
  }
});
