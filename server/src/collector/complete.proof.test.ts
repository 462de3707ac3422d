// Whether all that was read is stored, through faults, in the short form: what a server answered is stored, once and as it was. Without
// a fault: complete.test.ts. In full: complete.faults.test.ts.
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probe as tables } from '../probes/pg-stat-all-tables.ts';
import { defineProbe } from '../probes/types.ts';
import { COUNTERS } from '../testing/faults/counters.ts';
import {
  brokenMidway,
  datastoreAway,
  expectComplete,
  furtherReadings,
  newFaultScene,
} from '../testing/faults/fault-scenarios.ts';
import { killedAgainAndAgain, replaced, twoCollectors } from '../testing/faults/process-faults.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';

const WAIT = { timeout: 90_000, interval: 50 };

/** A probe of one number each second. */
const one = (name: string, text: string) =>
  defineProbe({
    name,
    description: 'One number.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'snapshot',
    columns: [{ name: 'size_bytes', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'A number.' }],
    caps: { maxRows: 10, timeoutMs: 500 },
    sql: () => text,
  });

const ONE = one('one', 'select 1::bigint as size_bytes');
const LOCKED_SIZE = one('locked_size', `select pg_catalog.pg_relation_size('public.locked') as size_bytes`);
const LOCKED_CATALOG = one('locked_catalog', 'select count(*) as size_bytes from pg_catalog.pg_sequence');
const POISONS: [name: string, text: string][] = [
  ['slow', 'select 1::bigint as size_bytes from pg_catalog.pg_sleep(30)'],
  ['error', 'select (1 / (random() * 0)::int)::bigint as size_bytes'],
  ['bad_type', `select 'x'::text as size_bytes`],
  ['flood', `select repeat('1', 400000000)::bigint as size_bytes`],
  [
    'suicide',
    'select pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid())::int::bigint as size_bytes',
  ],
];

/** Holds a table and a catalog of that database under the strongest lock. */
async function lockEverybodyOut(url: string) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('create table public.locked as select 1 as a');
  await client.query('vacuum analyze public.locked');
  await client.query('begin');
  await client.query('lock table public.locked, pg_catalog.pg_sequence in access exclusive mode');
  return { release: () => client.query('commit') };
}

const sizeOfLocked = (id: number) => sql`
  select table_size from metrics.pg_stat_all_tables
  where connection_id = ${id} and relname = 'locked' and keyframe order by collected_at limit 1`;

describe('a stop', () => {
  it('loses nothing that a server has answered, whenever it comes', async () => {
    const scene = await newFaultScene();
    const { house, generator } = scene;
    for (let times = 0; times < 8; times += 1) {
      const collector = house.start({ probes: COUNTERS });
      const before = generator.readings('test_counters').length;
      await expect
        .poll(() => generator.readings('test_counters').length, { timeout: 90_000, interval: 1 })
        .toBeGreaterThan(before);
      await collector.stop();
    }
    await expectComplete(scene);
  });
});

describe('what is stored', { timeout: 300_000 }, () => {
  it('F1 (short): the datastore is away for ten seconds', async () => {
    // What the process has grown by is judged in full alone (npm run test:faults): here it runs other tests as well.
    const { waiting_runs } = await datastoreAway(10);
    // The newest run of each probe, and what was read just now.
    expect(waiting_runs).toBeLessThanOrEqual(6);
  });

  it('F3 (short): the way to the datastore breaks in the middle of batches', () => brokenMidway(5));

  it('F4 (short): another server hangs', async () => {
    const scene = await newFaultScene();
    const { house, generator } = scene;
    const hanging = await startCluster({ major: 16 });
    onTestFinished(() => hanging.stop());
    const bad = await house.connect(hanging);
    const collector = house.start({ probes: [...COUNTERS, ONE] });
    await expect.poll(async () => (await house.snapshot(bad, 'one'))?.outcome, WAIT).toBe('ran');
    hanging.pause();
    await expect.poll(async () => (await house.state(bad))?.connection_error, WAIT).toBeTruthy();
    await furtherReadings(generator, 3);
    hanging.resume();
    await expect.poll(async () => (await house.state(bad))?.connection_error, WAIT).toBe(null);
    await collector.stop();
    await expectComplete(scene);
  });

  it('F6: a table and a catalog are locked', async () => {
    const scene = await newFaultScene();
    const { house, generator, id } = scene;
    const server = await sharedServer(18);
    const url = new URL(server.url);
    url.pathname = `/${generator.database}`;
    const locker = await lockEverybodyOut(url.toString());
    const probes = [...COUNTERS, LOCKED_SIZE, LOCKED_CATALOG, tables];
    const collector = house.start({ probes });
    const outcome = async (probe: string) => (await house.snapshot(id, probe))?.outcome;
    await expect.poll(() => outcome('locked_size'), WAIT).toBe('failed');
    await expect.poll(() => outcome('locked_catalog'), WAIT).toBe('failed');
    const blocked = await house.snapshot(id, 'locked_size');
    // Waited for the lock and gave up: nothing is known, which is not a size of 0.
    expect([blocked?.rows, blocked?.collected_at]).toEqual([null, null]);
    expect(blocked?.took_ms).toBeLessThan(2000);
    await furtherReadings(generator, 3);
    await expect
      .poll(() => house.snapshot(id, 'pg_stat_all_tables', generator.database), WAIT)
      .toMatchObject({ outcome: 'ran' });
    await locker.release();
    await expect.poll(() => outcome('locked_size'), { timeout: 60_000 }).toBe('ran');
    expect((await house.snapshot(id, 'locked_size'))?.rows).toEqual([{ size_bytes: 8192 }]);
    await collector.stop();
    await expectComplete(scene);
    const [row] = await house.db.rows<{ table_size: number }>(sizeOfLocked(id));
    expect(row?.table_size).toBe(8192);
  });

  it('F7 (short): the collector is killed three times', async () => {
    await killedAgainAndAgain(3);
  });

  it('F8 (short): two collectors hand over', () => twoCollectors(2));

  it('F8: a collector that is killed is replaced', async () => {
    await replaced('SIGKILL');
  });

  it('F8: a frozen collector whose clock is behind is replaced, and refused when it wakes up', async () => {
    await replaced('SIGSTOP', -30_000);
  });

  it('F17: beside poison probes', async () => {
    const scene = await newFaultScene();
    const poison = POISONS.map(([name, text]) => one(name, text));
    const collector = scene.house.start({ probes: [...poison, ...COUNTERS] });
    for (const { name } of poison)
      await expect
        .poll(async () => (await scene.house.snapshot(scene.id, name))?.outcome, WAIT)
        .toBe('failed');
    await furtherReadings(scene.generator, 3);
    await collector.stop();
    await expectComplete(scene);
  });
});
