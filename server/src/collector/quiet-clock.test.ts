// A collector that is alone asks its datastore seldom while nothing changes, and hears of every change at once; it sets
// the statement timeout of a server once for all statements that want the same.
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../datastore/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { defineProbe } from '../probes/types.ts';
import { collecting } from '../testing/collecting.ts';
import { furtherSamples, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { startCluster } from '../testing/servers/postgres.ts';

const TABLES = ['connections', 'probe_configs', 'probe_overrides', 'clusters', 'cluster_groups'] as const;

async function ground() {
  const datastore = await startCluster();
  const url = new Secret(datastore.url);
  await migrate(url, silentLog);
  const house = await collecting(url);
  onTestFinished(async () => {
    await house.stop();
    await datastore.stop();
  });
  return { datastore, house };
}

it('looks around less than twice a second, and is told when a server is to be left alone', async () => {
  const { datastore, house } = await ground();
  await datastore.query('create extension pg_stat_statements');
  const looks = async () => {
    const [row] = await datastore.query(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
       where query ~ 'store.others|collector.view|collector.beat'`,
    );
    return Number(row?.calls);
  };
  const id = await house.connect(datastore);
  const collector = house.start({ probes: [EVERY_SECOND] });
  await furtherSamples(house, id, 3);
  const [from, began] = [await looks(), systemClock.monotonic()];
  await furtherSamples(house, id, 10);
  const seconds = (systemClock.monotonic() - began) / 1000;
  expect(((await looks()) - from) / seconds).toBeLessThan(2);
  await house.db.run(sql`update matriarch.connections set is_monitored = false where id = ${id}`);
  await expect.poll(() => collector.holding, SOON).toEqual([]);
});

it('a round trip sets the statement timeout once, however many statements want the other one', async () => {
  const { datastore, house } = await ground();
  await datastore.query('create extension pg_stat_statements');
  const { roundTripColumn: _, ...pulse } = EVERY_SECOND;
  const waiting = (name: string, timeoutMs: number) => defineProbe({ ...pulse, name, caps: { timeoutMs } });
  const mixed = [waiting('a', 15_000), waiting('b', 5000), waiting('c', 15_000), waiting('d', 5000)];
  const id = await house.connect(datastore);
  house.start({ probes: [EVERY_SECOND, ...mixed] });
  await furtherSamples(house, id, 8);
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
  const { datastore } = await ground();
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
