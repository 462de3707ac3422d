// How long sessions wait for a lock is read again while the lock tree shows that they do, and not otherwise.
import { expect, it, onTestFinished } from 'vitest';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { openClient } from '../testing/servers/client.ts';
import { startCluster } from '../testing/servers/postgres.ts';

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
