// One instant of a real server under a load that the test makes, read by the real collector: who blocks whom, a command
// that runs, a setting that is changed; and how it was before, after it is all over.

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { openClient } from '../../testing/servers/client.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import type { MomentResponse } from './moment.contract.ts';
import { momentRoutes } from './moment.routes.ts';

type Moment = Static<typeof MomentResponse>;

const SOON = { timeout: 120_000, interval: 500 };

async function clientOf(server: TestCluster, application_name: string) {
  const client = await openClient(server, application_name);
  onTestFinished(() => client.end());
  return client;
}

it('a real load is there while it lasts, and found again afterwards', { timeout: 300_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [momentRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  await server.query('create table stock (id integer primary key, n integer)');
  await server.query('insert into stock select i, 0 from generate_series(1, 100000) i');
  const id = await house.connect(server);
  house.start();
  const momentAt = async (query = ''): Promise<Moment> => {
    const { status, text, body } = await api.call(`GET /api/v1/connections/${id}/moment?${query}`, { token });
    expect(status, text).toBe(200);
    return body as Moment;
  };
  /** All probes that run rarely run once more. */
  const readAnew = () =>
    house.db.run(
      sql`/* test.edit */ update matriarch.connections set revision = revision + 1 where id = ${id}`,
    );
  const workMem = ({ settings }: Moment) => settings.rows?.find(({ name }) => name === 'work_mem')?.value;
  await expect.poll(async () => (await momentAt()).settings.as_of, SOON).not.toBeNull();

  const holder = await clientOf(server, 'nightly');
  await holder.query('begin');
  await holder.query('update stock set n = 1 where id = 1');
  const [first, second] = [await clientOf(server, 'checkout'), await clientOf(server, 'checkout')];
  void first.begin('update stock set n = 2 where id = 1');
  await expect
    .poll(async () => (await server.query('select from pg_locks where not granted')).length, SOON)
    .toBeGreaterThanOrEqual(1);
  void second.begin('update stock set n = 3 where id = 1');
  const cleaner = await clientOf(server, 'cleaner');
  await cleaner.query('set vacuum_cost_delay = 100');
  await cleaner.query('set vacuum_cost_limit = 1');
  void cleaner.begin('vacuum (freeze) stock');
  await server.query(`alter system set work_mem = '7MB'`);
  await server.query('select pg_reload_conf()');
  await readAnew();

  const blocked = async () => {
    const { locks } = await momentAt();
    return locks.nodes?.map(({ pid, depth, blocked_count }) => [pid, depth, blocked_count]);
  };
  await expect.poll(blocked, SOON).toEqual([
    [holder.pid, 0, 2],
    [first.pid, 1, 1],
    [second.pid, 2, 0],
  ]);
  await expect.poll(async () => workMem(await momentAt()), SOON).toBe('7168 kB');
  await expect
    .poll(async () => (await momentAt()).progress.rows?.map(({ command, pid }) => [command, pid]), SOON)
    .toEqual([['VACUUM', cleaner.pid]]);
  const hasSessions = async () => (await momentAt()).sessions.rows?.some(({ pid }) => pid === second.pid);
  await expect.poll(hasSessions, SOON).toBe(true);
  const then = (await momentAt()).at;
  // What was read until then is on its way for a moment.
  const isLater = async () => Date.parse((await momentAt()).waits.as_of ?? '') > Date.parse(then) + 5000;
  await expect.poll(isLater, SOON).toBe(true);
  const during = await momentAt(`at=${then}`);
  expect(during.locks.nodes?.[0]).toMatchObject({
    kind: 'session',
    application_name: 'nightly',
    state: 'idle in transaction',
    query: 'update stock set n = 1 where id = 1',
    waits: null,
  });
  expect(during.locks.nodes?.[1]).toMatchObject({
    application_name: 'checkout',
    query: 'update stock set n = 2 where id = 1',
    waits: { lock_type: 'transactionid', mode: 'ShareLock' },
  });
  expect(during.waits).toMatchObject({ idle_in_transaction_count: 1 });
  expect(during.waits.classes?.find(({ wait_class }) => wait_class === 'Lock')?.sessions).toBe(2);
  expect(during.sessions.rows?.find(({ pid }) => pid === holder.pid)).toMatchObject({
    state: 'idle in transaction',
    query: 'update stock set n = 1 where id = 1',
  });
  expect(during.server).toMatchObject({ is_in_recovery: false, max_connections: 200 });
  expect(during.changes.result.events).toMatchObject([{ event_type: 'config_change' }]);
  expect(during.host.cpu.as_of).toBeNull();

  // All of it ends; that instant stays what it was.
  await holder.query('rollback');
  await server.query('select pg_terminate_backend($1)', [cleaner.pid]);
  await server.query('alter system reset work_mem');
  await server.query('select pg_reload_conf()');
  await readAnew();
  await expect.poll(blocked, SOON).toEqual([]);
  await expect.poll(async () => workMem(await momentAt()), SOON).toBeUndefined();
  const again = await momentAt(`at=${then}`);
  expect(again.at).toBe(then);
  expect(again.locks).toEqual(during.locks);
  expect(again.sessions).toEqual(during.sessions);
  expect(again.progress).toEqual(during.progress);
  expect(again.waits).toEqual(during.waits);
  expect(workMem(again)).toBe('7168 kB');
  expect(systemClock.now()).toBeGreaterThan(Date.parse(then));
});
