// The load over HTTP, of real sessions on a real server read by the real collector. Of samples that are known beforehand: load.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { between } from '../../testing/history-api.ts';
import { openClient } from '../../testing/servers/client.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import type { LoadResponse } from './load.contract.ts';
import { performanceRoutes } from './performance.routes.ts';

type Load = Static<typeof LoadResponse>;

it('real sessions are counted as what they do', { timeout: 180_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [performanceRoutes], db: house.db });
  onTestFinished(() => api.close());
  const own = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  await server.query('create table stock (id integer primary key, n integer)');
  await server.query('insert into stock values (1, 0)');
  const open = async (application_name: string) => {
    const client = await openClient(server, application_name);
    onTestFinished(() => client.end());
    return client;
  };
  // Three who wait for a row, whose holder is idle in its transaction, and two who sleep.
  const holder = await open('holder');
  await holder.query('begin');
  await holder.query('update stock set n = 1');
  for (let n = 0; n < 3; n += 1) {
    const client = await open('waiter');
    void client.begin('update stock set n = 2');
  }
  for (let n = 0; n < 2; n += 1) {
    const client = await open('sleeper');
    void client.begin('select pg_sleep(600)');
  }
  await expect
    .poll(async () => {
      const [row] = await server.query(
        `select count(*)::int as n from pg_stat_activity where wait_event_type in ('Lock', 'Timeout') and state = 'active'`,
      );
      return row?.n;
    })
    .toBe(5);
  const id = await house.connect(server);
  house.start();
  const load = async (query: string): Promise<Load> => {
    const { status, text, body } = await api.call(`GET /api/v1/connections/${id}/load?${query}`, {
      token: own,
    });
    expect(status, text).toBe(200);
    return body as Load;
  };
  const lastOf = ({ members }: Load) =>
    Object.fromEntries(
      members.map(({ name, values }) => [name, values.findLast((value) => value !== null) ?? null]),
    );
  const newest = async (split: string) => {
    const now = systemClock.now();
    return lastOf(await load(`${between(now - 30 * SECOND_MS, now)}&buckets=15&split_by=${split}`));
  };
  await expect.poll(() => newest('wait_class'), { timeout: 120_000 }).toMatchObject({ Lock: 3, Timeout: 2 });
  await expect
    .poll(() => newest('application'), { timeout: 60_000 })
    .toMatchObject({ waiter: 3, sleeper: 2 });
  expect(Object.keys(await newest('application'))).not.toContain('holder');
  const statements = await load('time_range=1h&split_by=statement');
  expect(statements.members.length).toBeGreaterThanOrEqual(2);
});
