// Faults as scenarios with a length, run in a short form beside the other tests and in full by npm run test:faults. Each
// ends with the ledger: what a generator's readings were against what the datastore holds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Collector } from '../collector/collector.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { type Collecting, collecting } from './collecting.ts';
import { newHouse } from './collecting-tests.ts';
import { COUNTERS } from './counters.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Generator, startGenerator } from './generator.ts';
import { sharedServer } from './postgres.ts';

export interface Ledger {
  house: Collecting & { url: Secret };
  generator: Generator;
  /** The connection to the generator. */
  id: number;
}

/** A datastore, and a generator that is monitored from it; nobody collects yet. */
export async function newLedger(): Promise<Ledger> {
  const generator = await startGenerator(await sharedServer(18));
  const house = await newHouse();
  const id = await house.connect(generator.server, { database: generator.database });
  return { house, generator, id };
}

/** Resolves after `count` further readings of the server, whether or not anybody stores them. */
export async function furtherReadings(generator: Generator, count: number): Promise<void> {
  const before = generator.readings('test_counters').length;
  await expect
    .poll(() => generator.readings('test_counters').length, { timeout: 30_000, interval: 50 })
    .toBeGreaterThanOrEqual(before + count);
}

const stored = async ({ house, generator, id }: Ledger) => (await generator.verdict(house.db, id)).stored;

/** Nothing lost, nothing twice, nothing wrong, and there was something. */
export async function expectLedger({ house, generator, id }: Ledger): Promise<void> {
  const { lost, duplicated, wrong, readings } = await generator.verdict(house.db, id);
  expect({ lost, duplicated, wrong }).toEqual({ lost: [], duplicated: [], wrong: [] });
  expect(readings).toBeGreaterThan(0);
}

export interface Proxied extends Ledger {
  proxy: FaultProxy;
  collector: Collector;
  stop(): Promise<void>;
}

/** A collector whose way to the datastore leads through a proxy; the test's own does not. */
export async function proxied(): Promise<Proxied> {
  const ledger = await newLedger();
  const { house } = ledger;
  const direct = new URL(house.url.reveal());
  const proxy = await startFaultProxy(Number(direct.port));
  direct.port = String(proxy.port);
  direct.hostname = proxy.host;
  const beyond = await collecting(new Secret(direct.toString()), house.keyFile);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= beyond.stop();
    return stopping;
  };
  onTestFinished(async () => {
    await stop();
    await proxy.stop();
  });
  const collector = beyond.start({ probes: COUNTERS });
  await furtherReadings(ledger.generator, 2);
  return { ...ledger, proxy, collector, stop };
}

/** F1: nobody answers for the datastore. Answers how long it took to store again and what memory it cost. */
export async function datastoreAway(seconds: number): Promise<{ back_ms: number; grown_bytes: number }> {
  const ledger = await proxied();
  const { proxy, generator, stop } = ledger;
  const rss = process.memoryUsage().rss;
  const before = generator.readings('test_counters').length;
  await proxy.set({ kind: 'refuse' });
  await sleep(seconds * 1000);
  const grown_bytes = process.memoryUsage().rss - rss;
  // Sampling went on all the time.
  expect(generator.readings('test_counters').length - before).toBeGreaterThan(seconds * 0.7);
  const held = await stored(ledger);
  const began = systemClock.monotonic();
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => stored(ledger), { timeout: 30_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = systemClock.monotonic() - began;
  await furtherReadings(generator, 2);
  await stop();
  await expectLedger(ledger);
  return { back_ms, grown_bytes };
}

/** F2: the datastore's machine swallows everything for a while; connections stay open and lead nowhere. */
export async function datastoreSilent(seconds: number): Promise<{ back_ms: number }> {
  const ledger = await proxied();
  const { proxy, generator, stop } = ledger;
  const before = generator.readings('test_counters').length;
  await proxy.set({ kind: 'drop' });
  await sleep(seconds * 1000);
  expect(generator.readings('test_counters').length - before).toBeGreaterThan(seconds * 0.7);
  const held = await stored(ledger);
  const began = systemClock.monotonic();
  await proxy.set({ kind: 'pass' });
  await expect.poll(() => stored(ledger), { timeout: 120_000, interval: 50 }).toBeGreaterThan(held);
  const back_ms = systemClock.monotonic() - began;
  await furtherReadings(generator, 2);
  await stop();
  await expectLedger(ledger);
  return { back_ms };
}

/** F3: the session to the datastore breaks after ever other numbers of bytes, in the middle of COPY and of commit. */
export async function brokenMidway(rounds: number): Promise<void> {
  const ledger = await proxied();
  const { proxy, generator, stop } = ledger;
  for (let round = 0; round < rounds; round += 1) {
    const way = round % 2 === 0 ? 'up' : 'down';
    await proxy.set({ kind: 'reset', afterBytes: 40 + ((round * 397) % 6000), way });
    await sleep(700);
    await proxy.set({ kind: 'pass' });
    await furtherReadings(generator, 1);
  }
  await furtherReadings(generator, 2);
  await stop();
  await expectLedger(ledger);
}

async function startProcess({ house }: Ledger) {
  const script = fileURLToPath(new URL('./collector-process.ts', import.meta.url));
  const args = [script, house.url.reveal(), house.keyFile, 'counters'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

/** What a lease's end would do fifteen seconds later. */
const expireLeases = ({ house }: Ledger) =>
  house.db.run(sql`/* test.expire */ update matriarch.connection_leases set expires_at = now()`);

/**
 * F7: a collector process dies at a random moment, again and again. At most what was read in the last second before
 * each death may be missing. Answers how much that was, and the longest time from a start to the first stored reading.
 */
export async function killedAgainAndAgain(rounds: number): Promise<{ lost: number; first_ms: number }> {
  const ledger = await newLedger();
  const { generator, house, id } = ledger;
  const deaths: number[] = [];
  let first_ms = 0;
  for (let round = 0; round < rounds; round += 1) {
    const held = await stored(ledger);
    const child = await startProcess(ledger);
    const began = systemClock.monotonic();
    await expireLeases(ledger);
    await expect.poll(() => stored(ledger), { timeout: 20_000, interval: 50 }).toBeGreaterThan(held);
    first_ms = Math.max(first_ms, systemClock.monotonic() - began);
    await sleep(Math.random() * 1500);
    child.kill('SIGKILL');
    await once(child, 'exit');
    deaths.push(systemClock.now());
  }
  const { lost, duplicated, wrong } = await generator.verdict(house.db, id);
  const isExcused = (reading: string) => {
    const at_ms = Number(reading.split(' ')[1]) / 1000;
    return deaths.some((death) => at_ms <= death && death - at_ms <= 1000);
  };
  expect({ lost: lost.filter((one) => !isExcused(one)), duplicated, wrong }).toEqual({
    lost: [],
    duplicated: [],
    wrong: [],
  });
  return { lost: lost.length, first_ms };
}

/** F8: two collectors, of which one always stops and another starts: each reading is stored once. */
export async function twoCollectors(rounds: number): Promise<void> {
  const ledger = await newLedger();
  const { house, generator } = ledger;
  let running = house.start({ probes: COUNTERS });
  for (let round = 0; round < rounds; round += 1) {
    const next = house.start({ probes: COUNTERS });
    await furtherReadings(generator, 2);
    const before = running;
    running = next;
    await before.stop();
    await expect.poll(() => next.holding, { timeout: 15_000 }).toEqual([ledger.id]);
    await furtherReadings(generator, 2);
  }
  await running.stop();
  await expectLedger(ledger);
}
