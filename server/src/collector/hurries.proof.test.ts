// How long sessions wait for a lock is read again while the lock tree shows that they do, and not otherwise; of a new server, what
// needs two readings is read twice within a minute.
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { openClient } from '../testing/servers/client.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';
import { type Claimed, claim } from './leases.queries.ts';

const PROBES = ['pg_locks_tree', 'pg_stat_activity'];

it('reads activity every ten seconds while sessions wait for a lock', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('create table stock (id int primary key, n int)');
  await server.query('insert into stock values (1, 0)');
  const house = await newHouse();
  const id = await house.connect(server);
  house.start({ probes: catalog.filter(({ name }) => PROBES.includes(name)) });
  const seen = new Set<string>();
  const count = async () => {
    const { collected_at = null } = (await house.snapshot(id, 'pg_stat_activity')) ?? {};
    if (collected_at) seen.add(collected_at);
    return seen.size;
  };
  const passed = async (readings: number) => {
    const [before, from] = [await count(), house.clock.monotonic()];
    await pollMoved(house, count, 3).toBeGreaterThanOrEqual(before + readings);
    return (house.clock.monotonic() - from) / 1000;
  };
  await pollMoved(house, count, 0).toBe(1);
  // As declared: once a minute.
  expect(await passed(3)).toBeGreaterThan(100);

  const [holder, waiter] = [await openClient(server, 'payroll'), await openClient(server, 'checkout')];
  await holder.query('begin');
  await holder.query('update stock set n = 1');
  const waiting = waiter.begin('update stock set n = 2');
  await passed(1);
  expect(await passed(4)).toBeLessThan(80);
  await holder.query('rollback');
  await waiting;
  await passed(1);
  await passed(1);
  expect(await passed(2)).toBeGreaterThan(60);
  await Promise.all([holder.end(), waiter.end()]);
});

it('reads what needs two readings again within a minute where a server is new, whatever its interval', async () => {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(18));
  const names = ['pg_stat_wal', 'pg_stat_database', 'pg_stat_all_tables', 'pg_settings'];
  const read = new Map(names.map((name) => [name, new Set<number>()]));
  const look = async () => {
    for (const { probe, collected_at } of await house.snapshots(id))
      if (collected_at !== null) read.get(probe)?.add(Date.parse(collected_at));
    return names.map((name) => Math.min(2, read.get(name)?.size ?? 0));
  };
  house.start({ probes: catalog.filter(({ name }) => names.includes(name)) });
  // Some may have been read twice before the last was read once, on a busy machine.
  const once = async () => (await look()).map((readings) => readings > 0);
  await pollMoved(house, once, 0).toEqual([true, true, true, true]);
  const from = house.clock.monotonic();
  await pollMoved(house, look, 4).toEqual([2, 2, 2, 1]);
  expect(house.clock.monotonic() - from).toBeLessThan(75_000);
});

it('takes a server for new that nobody has read for a while', async () => {
  const house = await newHouse();
  await house.connect(await sharedServer(18));
  const taken = async (owner: string, since: string) => {
    await house.db.run(sql`/* test.left */
      update matriarch.connection_leases set expires_at = now() - ${since}::interval`);
    return (await house.db.rows<Claimed>(claim(owner, 10))).map(({ is_new }) => is_new);
  };
  expect(await taken('first', '0')).toEqual([true]);
  expect(await taken('second', '5 minutes')).toEqual([false]);
  expect(await taken('third', '11 minutes')).toEqual([true]);
});
