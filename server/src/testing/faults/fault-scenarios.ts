// Faults as scenarios with a length, run in a short form beside the other tests and in full by npm run test:faults. Each
// ends with a comparison: what a generator's readings were against what the datastore holds.
import { expect, onTestFinished } from 'vitest';
import type { Collector } from '../../collector/collector.ts';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Probe } from '../../probes/types.ts';
import { openSpoolHome, type SpoolHome } from '../../store/spool/home.ts';
import { type Collecting, collecting } from '../collecting.ts';
import { newHouse } from '../collecting-tests.ts';
import { sharedServer, testDirectory } from '../servers/postgres.ts';
import { COUNTERS } from './counters.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Generator, startGenerator } from './generator.ts';

export interface FaultScene {
  house: Collecting & { url: Secret };
  generator: Generator;
  /** The connection to the generator. */
  id: number;
}

/** A datastore, and a generator that is monitored from it; nobody collects yet. */
export async function newFaultScene(): Promise<FaultScene> {
  const generator = await startGenerator(await sharedServer(18));
  const house = await newHouse();
  const id = await house.connect(generator.server, { database: generator.database });
  return { house, generator, id };
}

/** Resolves after `count` further readings of the server, whether or not anybody stores them. */
export async function furtherReadings(generator: Generator, count: number): Promise<void> {
  const before = generator.readings('test_counters').length;
  await expect
    .poll(() => generator.readings('test_counters').length, { timeout: 90_000, interval: 50 })
    .toBeGreaterThanOrEqual(before + count);
}

/** A place for a spool, and how a collector is given it. */
export async function newSpool(root = testDirectory('spool'), maxBytes = 1024 ** 3): Promise<SpoolHome> {
  const home = await openSpoolHome({ root, maxBytes, minFreeBytes: 0, clock: systemClock, log: silentLog });
  return typeof home === 'string' ? expect.fail(home) : home;
}

/** Resolves when the spool is replayed, and nothing that was read some seconds ago is missing any more. */
export async function caughtUp(
  { house, generator, id, collector }: FaultScene & { collector: Collector },
  timeoutMs: number,
): Promise<void> {
  await expect
    .poll(() => collector.writer.stats.is_behind, { timeout: timeoutMs, interval: 100 })
    .toBe(false);
  const isOld = (reading: string) => systemClock.now() - Number(reading.split(' ')[1]) / 1000 > 3000;
  const missing = async () => (await generator.verdict(house.db, id)).lost.filter(isOld).length;
  await expect.poll(missing, { timeout: timeoutMs, interval: 500 }).toBe(0);
}

export const stored = async ({ house, generator, id }: FaultScene) =>
  (await generator.verdict(house.db, id)).stored;

/** Nothing lost, nothing twice, nothing wrong, and there was something. */
export async function expectComplete({ house, generator, id }: FaultScene): Promise<void> {
  const { lost, duplicated, wrong, readings } = await generator.verdict(house.db, id);
  expect({ lost, duplicated, wrong }).toEqual({ lost: [], duplicated: [], wrong: [] });
  expect(readings).toBeGreaterThan(0);
}

export interface Proxied extends FaultScene {
  proxy: FaultProxy;
  collector: Collector;
  spool: SpoolHome;
  stop(): Promise<void>;
}

/** A collector whose way to the datastore leads through a proxy, with a spool; the test's own does not. */
export async function proxied(
  probes: readonly Probe[] = COUNTERS,
  directory?: { root: string; maxBytes: number },
): Promise<Proxied> {
  const scene = await newFaultScene();
  const { house } = scene;
  const { proxy, url } = await proxyTo(house.url);
  const beyond = await collecting(url, house.keyFile);
  const spool = await newSpool(directory?.root, directory?.maxBytes);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= beyond.stop().then(() => spool.stop());
    return stopping;
  };
  onTestFinished(async () => {
    await stop();
    await proxy.stop();
  });
  const collector = beyond.start({ probes, spool });
  await furtherReadings(scene.generator, 2);
  return { ...scene, proxy, collector, spool, stop };
}

/** A proxy before that datastore. */
export async function proxyTo(datastore: Secret): Promise<{ proxy: FaultProxy; url: Secret }> {
  const url = new URL(datastore.reveal());
  const proxy = await startFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  url.hostname = proxy.host;
  return { proxy, url: new Secret(url.toString()) };
}

export interface AwayFigures {
  readings: number;
  /** From the return of the datastore to the next stored reading. */
  back_ms: number;
  /** From then until all was stored. */
  replay_ms: number;
  grown_bytes: number;
  /** Runs in the writer's memory, and bytes in the spool, at the end of the outage. */
  waiting_runs: number;
  spooled_bytes: number;
}

/** F1: nobody answers for the datastore. */
export async function datastoreAway(seconds: number, probes?: readonly Probe[]): Promise<AwayFigures> {
  const scene = await proxied(probes);
  const { proxy, generator, stop, collector, spool } = scene;
  const rss = process.memoryUsage().rss;
  const before = generator.readings('test_counters').length;
  await proxy.set({ kind: 'refuse' });
  await sleep(seconds * 1000);
  const grown_bytes = process.memoryUsage().rss - rss;
  const readings = generator.readings('test_counters').length - before;
  // Sampling went on all the time.
  expect(readings).toBeGreaterThan(seconds * 0.7);
  const { waiting_runs } = collector.writer.stats;
  const spooled_bytes = spool.batches.stats.bytes;
  const held = await stored(scene);
  const began = systemClock.monotonic();
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => stored(scene), { timeout: 90_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = Math.round(systemClock.monotonic() - began);
  // At least ten times as fast as it was collected.
  await caughtUp(scene, seconds * 100 + 10_000);
  const replay_ms = Math.round(systemClock.monotonic() - began - back_ms);
  await furtherReadings(generator, 2);
  await stop();
  await expectComplete(scene);
  return { readings, back_ms, replay_ms, grown_bytes, waiting_runs, spooled_bytes };
}

/** F2: the datastore's machine swallows everything for a while; connections stay open and lead nowhere. */
export async function datastoreSilent(seconds: number): Promise<{ back_ms: number }> {
  const scene = await proxied();
  const { proxy, generator, stop } = scene;
  const before = generator.readings('test_counters').length;
  await proxy.set({ kind: 'drop' });
  await sleep(seconds * 1000);
  expect(generator.readings('test_counters').length - before).toBeGreaterThan(seconds * 0.7);
  const held = await stored(scene);
  const began = systemClock.monotonic();
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => stored(scene), { timeout: 120_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = systemClock.monotonic() - began;
  await caughtUp(scene, seconds * 100 + 20_000);
  await furtherReadings(generator, 2);
  await stop();
  await expectComplete(scene);
  return { back_ms };
}

/** F3: the session to the datastore breaks after ever other numbers of bytes, in the middle of COPY and of commit. */
export async function brokenMidway(rounds: number): Promise<void> {
  const scene = await proxied();
  const { proxy, generator, stop } = scene;
  for (let round = 0; round < rounds; round += 1) {
    const way = round % 2 === 0 ? 'up' : 'down';
    await proxy.set({ kind: 'reset', afterBytes: 40 + ((round * 397) % 6000), way });
    await sleep(700);
    await proxy.set({ kind: 'pass' });
    await furtherReadings(generator, 1);
  }
  await caughtUp(scene, 30_000);
  await furtherReadings(generator, 2);
  await stop();
  await expectComplete(scene);
}
