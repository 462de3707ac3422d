// Faults of disks as scenarios with a length: file systems of a few megabytes that are filled to the last byte. They need
// the right to mount; without it the test is skipped, and says so.
import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { migrate } from '../../datastore/migrate.ts';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { defineProbe } from '../../probes/types.ts';
import { type KnownGap, knownGaps } from '../../store/spool/gaps.queries.ts';
import { collecting } from '../collecting.ts';
import { startIn } from '../servers/cluster.ts';
import { sharedServer, testDirectory } from '../servers/postgres.ts';
import { FAST_COUNTERS } from './counters.ts';
import { caughtUp, expectComplete, furtherReadings, newSpool, proxied, stored } from './fault-scenarios.ts';
import { startGenerator } from './generator.ts';
import { expectLost } from './process-faults.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;

/** A small disk of the test's own. Skips the test where nothing can be mounted. */
async function smallDisk(context: TestContext, bytes: number): Promise<string> {
  const directory = testDirectory('disk');
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0711`, 'test-disk', directory]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').at(-2) : String(error);
    context.skip(`No disk can be mounted here, so this fault was NOT tested: ${reason}`);
  }
  onTestFinished(async () => {
    await run('umount', ['-l', directory]);
  });
  return directory;
}

/** Takes all of the disk but `left` bytes; answers how to give it back. */
function fill(disk: string, left: number): () => void {
  const file = path.join(disk, 'filler');
  const room = Buffer.alloc(64 * 1024);
  const spare = path.join(disk, 'spare');
  const write = (name: string, most: number) => {
    const handle = openSync(name, 'w');
    try {
      for (let done = 0; done < most; )
        done += writeSync(handle, room, 0, Math.min(room.length, most - done));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(handle);
    }
  };
  if (left > 0) write(spare, left);
  write(file, Number.POSITIVE_INFINITY);
  rmSync(spare, { force: true });
  return () => rmSync(file);
}

export interface DiskFigures {
  readings: number;
  lost: number;
  back_ms: number;
}

/** F13: the disk of the datastore is full for a while. The spool takes over, and nothing is lost. */
export async function datastoreDiskFull(context: TestContext, seconds: number): Promise<DiskFigures> {
  const disk = await smallDisk(context, 256 * MIB);
  const cluster = await startIn(disk, { settings: { max_wal_size: '64MB', min_wal_size: '64MB' } });
  onTestFinished(() => cluster.stop());
  await cluster.query('create database matriarch');
  const url = new Secret(cluster.url.replace(/postgres$/, 'matriarch'));
  await migrate(url, silentLog);
  const house = { ...(await collecting(url)), url };
  const spool = await newSpool();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= collector.stop().then(() => spool.stop());
    return stopping;
  };
  const generator = await startGenerator(await sharedServer(17));
  const id = await house.connect(generator.server, { database: generator.database });
  const scene = { house, generator, id };
  const collector = house.start({ probes: FAST_COUNTERS, spool });
  onTestFinished(() => stop().then(() => house.stop()));
  await expect.poll(() => stored(scene), { timeout: 90_000 }).toBeGreaterThan(10);
  const giveBack = fill(disk, 0);
  const before = generator.readings('test_counters').length;
  const waiting = () => spool.batches.stats.appended - spool.batches.stats.acknowledged;
  await expect.poll(waiting, { timeout: 120_000 }).toBeGreaterThan(4);
  await sleep(seconds * 1000);
  expect(waiting()).toBeGreaterThan(4);
  const readings = generator.readings('test_counters').length - before;
  expect(readings).toBeGreaterThan(seconds);
  giveBack();
  // A server that could not even write its log of changes has stopped; whoever runs it starts it again.
  if ((await cluster.query('select 1').catch(() => [])).length === 0) {
    await cluster.shutdown();
    await cluster.start();
  }
  const held = await stored(scene);
  const began = systemClock.monotonic();
  await expect.poll(() => stored(scene), { timeout: 90_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = Math.round(systemClock.monotonic() - began);
  await caughtUp({ ...scene, collector }, seconds * 100 + 30_000);
  await furtherReadings(generator, 2);
  await stop();
  await expectComplete(scene);
  return { readings, lost: 0, back_ms };
}

/** Twelve kilobytes that cannot be packed, ten times a second. */
const NOISE = FAST_COUNTERS.slice(0, 1).map((probe) =>
  defineProbe({
    ...probe,
    name: 'test_noise',
    columns: [
      { name: 'noise', type: 'text', kind: 'label', description: 'Noise.' },
      { name: 'pace', type: 'text', kind: 'label', description: 'How fast.' },
    ],
    sql: () => `select pg_catalog.md5(pg_catalog.random()::text) as noise, 'fast'::text as pace
      from pg_catalog.generate_series(1, 700)`,
  }),
);

/** F14: the datastore is away and the disk of the spool is full. What is lost is the oldest, and every bit of it is said. */
export async function spoolDiskFull(
  context: TestContext,
  { seconds, left }: { seconds: number; left: number },
): Promise<DiskFigures & { gaps: number }> {
  const root = await smallDisk(context, 4 * MIB);
  const scene = await proxied([...FAST_COUNTERS, ...NOISE], { root, maxBytes: 64 * MIB });
  const { proxy, collector, spool, generator, house, id, stop } = scene;
  await proxy.set({ kind: 'refuse' });
  const before = generator.readings('test_counters').length;
  fill(root, left);
  await expect.poll(() => spool.batches.stats.dropped, { timeout: 120_000 }).toBeGreaterThan(0);
  await sleep(seconds * 1000);
  expect(collector.holding).toEqual([id]);
  const readings = generator.readings('test_counters').length - before;
  const held = await stored(scene);
  const began = systemClock.monotonic();
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => stored(scene), { timeout: 90_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = Math.round(systemClock.monotonic() - began);
  await expect.poll(() => spool.batches.stats.gaps, { timeout: 60_000 }).toBe(0);
  await expect.poll(() => collector.writer.stats.is_behind, { timeout: 60_000 }).toBe(false);
  await furtherReadings(generator, 10);
  await stop();
  const gaps = await house.db.rows<KnownGap>(knownGaps(1000));
  expect(gaps.map(({ connection_id, reason }) => [connection_id, reason])).toContainEqual([id, 'disk']);
  // A reading is a moment older than the time under which it is stored.
  const said = gaps.map(({ began_at, ended_at }): [number, number] => [
    Date.parse(began_at) - 500,
    Date.parse(ended_at) + 500,
  ]);
  const lost = await expectLost(scene, said);
  return { readings, lost, back_ms, gaps: gaps.length };
}
