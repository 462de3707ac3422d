// One statement over HTTP, on a real server that runs a known number of them. Every number of it is in query-detail.test.ts.

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse, SOON } from '../../testing/collecting-tests.ts';
import { figureIn, iso } from '../../testing/history-api.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { performanceRoutes } from './performance.routes.ts';
import type { QueryDetail } from './query-detail.contract.ts';

type Detail = Static<typeof QueryDetail>;

/** Statements were read again after the time now. */
async function readAnew(house: Collecting, id: number): Promise<void> {
  const after = systemClock.now();
  await house.db.run(sql`/* test.edit */
    update matriarch.connections set revision = revision + 1 where id = ${id}`);
  const at = async () =>
    Date.parse((await house.snapshot(id, 'pg_stat_statements', 'postgres'))?.collected_at ?? '');
  await expect.poll(async () => (await at()) > after, SOON).toBe(true);
}

it('a real statement has the calls that were made of it, and its wait', { timeout: 240_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [performanceRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  await server.query('create extension pg_stat_statements');
  await server.query('create table orders as select g as id from generate_series(1, 100) g');
  await server.query(`create role clerk login superuser password '${server.password}'`);
  const client = async (user: string) => {
    const made = new pg.Client({
      host: server.host,
      port: server.port,
      user,
      password: server.password,
      database: 'postgres',
    });
    made.on('error', () => undefined);
    await made.connect();
    onTestFinished(() => made.end().catch(() => undefined));
    return made;
  };
  const [one, other] = [await client(server.superuser), await client('clerk')];
  const text = 'select count(*) from orders where id > $1 and pg_sleep($2) is not null';
  const call = (by: pg.Client, times: number) =>
    Array.from({ length: times }).reduce<Promise<unknown>>(
      (before) => before.then(() => by.query(text, [99, 0.02])),
      Promise.resolve(),
    );
  await call(one, 1);
  await call(other, 1);
  const connection = await house.connect(server);
  house.start();
  await readAnew(house, connection);
  const from = systemClock.now();
  await call(one, 150);
  await call(other, 50);
  await readAnew(house, connection);
  const [known] = await server.query(
    `select queryid::text as queryid from pg_stat_statements where query like 'select count(*) from orders%' limit 1`,
  );
  const ask = async (): Promise<Detail> => {
    const times = `start_time=${iso(from - MINUTE_MS)}&end_time=${iso(systemClock.now())}`;
    const { body, text: said } = await api.call(
      `GET /api/v1/connections/${connection}/queries/${known?.queryid}?${times}`,
      { token },
    );
    expect(said).toContain('"figures"');
    return body as Detail;
  };
  const callsOf = async () => figureIn((await ask()).figures, 'calls')?.total;
  // A run is told of before its samples are stored.
  await expect.poll(callsOf, SOON).toBeCloseTo(200, 3);
  const detail = await ask();
  expect(detail.query).toMatch(/^select count\(\*\) from orders where id > \$1/);
  expect(figureIn(detail.figures, 'mean_time')?.total).toBeGreaterThanOrEqual(20);
  const calls = detail.places.map(({ username, figures }) => [username, figureIn(figures, 'calls')?.total]);
  expect(calls).toEqual([
    [server.superuser, expect.closeTo(150, 3)],
    ['clerk', expect.closeTo(50, 3)],
  ]);
  // While nothing goes on, sessions are sampled every ten seconds.
  one.query(text, [99, 120]).catch(() => undefined);
  const waits = async () => (await ask()).waits.events.map(({ wait_event }) => wait_event);
  await expect.poll(waits, SOON).toContain('PgSleep');
});
