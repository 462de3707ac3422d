// The writer with a spool that is too small for what waits: what is lost is said (F14). What fits is in spooling.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { MIB, sample, spoolAt, spoolingTests } from '../../testing/store/spooling.ts';

const SOON = { timeout: 90_000, interval: 20 };
const { T, store, starting, takeAway, times, gapsOf } = spoolingTests();

/** A writer with more in memory, none of it written, than its spool holds. */
async function overfull(id: number) {
  const root = testDirectory('spool');
  const spool = await spoolAt(root, MIB);
  const writer = store().writer({ probes: [SERVER], flushMs: 3_600_000, spool });
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= writer.stop().then(() => spool.stop());
    return ending;
  };
  onTestFinished(end);
  await writer.flush();
  await expect.poll(() => writer.stats.is_behind, SOON).toBe(false);
  // Each of them is new, and has a row as of the reading before as well.
  const rows = () => Array.from({ length: 400 }, () => ({ kind: Math.random().toString(36), reads: 1 }));
  for (let n = 0; n < 7; n += 1) {
    for (let more = 0; more < 20; more += 1)
      writer.add(keptRun(SERVER, { connection_id: id, at: T + 20 * n + more, rows: rows() }));
    await expect.poll(() => spool.batches.stats.appended, SOON).toBe(n + 1);
  }
  await spool.batches.sync();
  return { root, spool, writer, end };
}

it('F14: what cannot be kept goes from a spool that is full, oldest first, and that is a known gap', async () => {
  const id = await store().leased();
  const root = testDirectory('spool');
  const spool = await spoolAt(root, MIB);
  const giveBack = await takeAway();
  const writer = store().writer({ probes: [SERVER], flushMs: 5, spool });
  const noise = () => Array.from({ length: 800 }, () => ({ kind: Math.random().toString(36), reads: 1 }));
  for (let n = 0; n < 150; n += 1) {
    writer.add(keptRun(SERVER, { connection_id: id, at: T + n, rows: noise() }));
    await writer.flush();
  }
  await spool.batches.sync();
  expect(spool.batches.stats.dropped).toBeGreaterThan(50);
  await giveBack();
  writer.add(sample(id, T + 1000));
  await expect.poll(async () => (await times(id)).includes(149), { timeout: 90_000 }).toBe(true);
  await writer.stop();
  await spool.stop();
  const kept = new Set(await times(id));
  const gaps = await gapsOf(id);
  const isSaid = (n: number) =>
    gaps.some(({ began_at, ended_at }) => Date.parse(began_at) <= T + n && T + n <= Date.parse(ended_at));
  const silent = Array.from({ length: 150 }, (_, n) => n).filter((n) => !kept.has(n) && !isSaid(n));
  expect(silent).toEqual([]);
  expect(new Set(gaps.map(({ reason }) => reason))).toEqual(new Set(['full']));
});

it('what has no room on the disk is no gap while it is in memory and gets stored from there', async () => {
  const id = await store().leased();
  const { spool, writer } = await overfull(id);
  await writer.flush();
  expect(new Set(await times(id)).size).toBe(140);
  await expect.poll(() => writer.stats.is_behind, SOON).toBe(false);
  expect(await gapsOf(id)).toEqual([]);
  expect(spool.batches.stats.dropped).toBe(0);
});

it('what has no room on the disk and is in memory as the process ends is stored by the next one, or a known gap', async () => {
  const id = await store().leased();
  const { root, end } = await overfull(id);
  const giveBack = await takeAway();
  await end();
  await giveBack();
  const { writer } = await starting(root);
  await expect.poll(() => times(id), SOON).not.toEqual([]);
  await expect.poll(() => writer.stats.is_behind, SOON).toBe(false);
  const kept = new Set(await times(id));
  const gaps = await gapsOf(id);
  const isSaid = (n: number) =>
    gaps.some(({ began_at, ended_at }) => Date.parse(began_at) <= T + n && T + n <= Date.parse(ended_at));
  expect(Array.from({ length: 140 }, (_, n) => n).filter((n) => !kept.has(n) && !isSaid(n))).toEqual([]);
});
