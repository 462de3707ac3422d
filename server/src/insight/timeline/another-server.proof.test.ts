// An address behind which another server answers after a while, as behind HAProxy or a virtual IP, read by the real collector. Guards:
// the change is told once and as what it is; what differs between the two servers is no change of settings; nothing is counted from
// one server to the other.
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { probe as databases } from '../../probes/pg-stat-database.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { type Forward, startForward } from '../../testing/servers/forward.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { buckets } from '../../testing/store/buckets.ts';
import type { TimelineResult } from './timeline.contract.ts';
import { timelineRoutes } from './timeline.routes.ts';

const MINUTE = { timeout: 60_000, interval: 100 };
const PROBES = ['pg_settings', 'pg_hba_file_rules', 'pg_server_info', 'pg_node_role'];

/** Waits until each was read after the time now. */
async function readAnew(house: Collecting, id: number, after = systemClock.now()): Promise<void> {
  const times = async () => {
    const runs = await Promise.all(PROBES.map((probe) => house.snapshot(id, probe)));
    return runs.every((run) => Date.parse(run?.collected_at ?? '') > after);
  };
  await expect.poll(times, MINUTE).toBe(true);
}

/** The same once more, as after an edit. */
async function readAgain(house: Collecting, id: number): Promise<void> {
  const after = systemClock.now();
  await house.db.run(sql`/* test.edit */
    update matriarch.connections set revision = revision + 1 where id = ${id}`);
  await readAnew(house, id, after);
}

/** Both let the same people in by the same password, and differ in settings, rules and counters. */
async function twoServers(): Promise<[TestCluster, TestCluster]> {
  const one = await stopAtEnd(startCluster());
  const other = await stopAtEnd(
    startCluster({ settings: { work_mem: '9MB', cluster_name: 'second', max_connections: 150 } }),
  );
  await other.query(`alter role postgres password '${one.password}'`);
  await other.query('create extension pg_stat_statements');
  await other.query('create table filled as select n from generate_series(1, 50000) n');
  return [one, other];
}

interface Scene {
  house: Collecting;
  id: number;
  forward: Forward;
  events: () => Promise<Static<typeof TimelineResult>['events']>;
}

async function watched(first: TestCluster): Promise<Scene> {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [connectionsRoom, timelineRoutes], db: house.db });
  const forward = await startForward(first);
  onTestFinished(() => forward.stop());
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const id = await house.connect({ ...first, port: forward.port });
  const from = new Date(systemClock.now() - 60_000).toISOString();
  const events = async () => {
    const to = new Date(systemClock.now() + 60_000).toISOString();
    const path = `GET /api/v1/timeline/events?start_time=${from}&end_time=${to}`;
    const reply: Static<typeof TimelineResult> = JSON.parse((await api.call(path, { token })).text);
    return reply.events;
  };
  return { house, id, forward, events };
}

it('tells another server behind the same address once, and no change of what differs', {
  timeout: 240_000,
}, async () => {
  const [one, other] = await twoServers();
  const { house, id, forward, events } = await watched(one);
  const from = systemClock.now();
  house.start();
  await readAnew(house, id, from);
  await readAgain(house, id);
  expect(await events()).toEqual([]);

  forward.turnTo(other);
  // What is read every hour as well, at once and by itself.
  await readAnew(house, id);
  await readAgain(house, id);
  const settings = await house.facts(id, 'pg_settings');
  expect(settings.find(({ value }) => value.name === 'work_mem')?.value.setting).toBe('9216');
  const told = await events();
  expect(told.map(({ event_type, title }) => [event_type, title])).toEqual([
    ['restart', 'Now answered by another server'],
  ]);
  expect(told[0]?.summary).toMatch(/is now answered by another server \("second"\)/);

  forward.turnTo(one);
  await readAgain(house, id);
  expect((await events()).map(({ title }) => title)).toEqual([
    'Now answered by another server',
    'Now answered by another server',
  ]);
  // 50,000 rows were inserted on the other server before the first look at it: they are counted nowhere.
  const [series] = await buckets(house.db, {
    ...{ probe: databases, column: 'tup_inserted', connection_ids: [id] },
    ...{ from, to: systemClock.now() + 1000, buckets: 1, aggregate: 'sum' },
  });
  expect(series?.whole).toBeGreaterThanOrEqual(0);
  expect(series?.whole).toBeLessThan(20_000);
});
