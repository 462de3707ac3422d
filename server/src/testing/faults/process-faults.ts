// Faults of collector processes as scenarios with a length: killed again and again, replaced, two at once. Each ends with a
// comparison of what was read and what is stored.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { sleep, systemClock } from '../../kernel/clock.ts';
import type { Secret } from '../../kernel/secret.ts';
import { testDirectory } from '../servers/postgres.ts';
import { COUNTERS } from './counters.ts';
import {
  expectComplete,
  type FaultScene,
  furtherReadings,
  newFaultScene,
  newSpool,
  proxyTo,
  stored,
} from './fault-scenarios.ts';
import type { Generator } from './generator.ts';

interface ProcessOptions {
  keyFile: string;
  url: Secret;
  /** Where its spool is. */
  root: string;
  /** By how much its clock is wrong. */
  wrongMs?: number;
}

async function startProcess({ keyFile, url, root, wrongMs = 0 }: ProcessOptions) {
  const script = fileURLToPath(new URL('./collector-process.ts', import.meta.url));
  const args = [script, url.reveal(), keyFile, 'counters', root, String(wrongMs)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

type Moments = readonly [from: number, to: number][];

const isWithin = (at_us: number, moments: Moments, moreMs = 0) =>
  moments.some(([from, to]) => from <= at_us / 1000 && at_us / 1000 <= to + moreMs);

/**
 * Nothing wrong or twice, and nothing lost but in those moments; values add up again from the keyframe that follows
 * a loss. Answers how much was lost.
 */
export async function expectLost(scene: FaultScene, moments: Moments): Promise<number> {
  const { lost, duplicated, wrong } = await scene.generator.verdict(scene.house.db, scene.id);
  const unexcused = lost.filter((one) => !isWithin(Number(one.split(' ')[1]), moments));
  const untrue = wrong.filter((one) => !isWithin(Number(/ at (\d+):/.exec(one)?.[1]), moments, 2000));
  expect({ lost: unexcused, duplicated, wrong: untrue }).toEqual({ lost: [], duplicated: [], wrong: [] });
  return lost.length;
}

/** The first reading of the server since that moment (wall clock, milliseconds), once there is one. */
async function nextReading(generator: Generator, since: number): Promise<number> {
  const next = () => generator.readings('test_counters').find((at) => at / 1000 > since);
  await expect.poll(next, { timeout: 90_000, interval: 20 }).toBeDefined();
  return (next() ?? 0) / 1000;
}

/**
 * F7: a collector process dies at a random moment, again and again, every second time while the datastore is away. At
 * most what was read in the last second before each death may be missing, whoever has the spool next. Answers how much
 * that was, how long a process took to start at most (which is mostly the machine's business), and how long from then to
 * its first reading and until something new was stored.
 */
export async function killedAgainAndAgain(
  rounds: number,
): Promise<{ lost: number; start_ms: number; first_ms: number; stored_ms: number }> {
  const scene = await newFaultScene();
  const { house, generator } = scene;
  const { proxy, url } = await proxyTo(house.url);
  onTestFinished(() => proxy.stop());
  const root = testDirectory('spool');
  const deaths: [number, number][] = [];
  let [start_ms, first_ms, stored_ms] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const held = await stored(scene);
    const began = systemClock.now();
    const child = await startProcess({ url, keyFile: house.keyFile, root });
    const ready = systemClock.now();
    start_ms = Math.max(start_ms, ready - began);
    first_ms = Math.max(first_ms, Math.round((await nextReading(generator, began)) - ready));
    await expect.poll(() => stored(scene), { timeout: 90_000, interval: 50 }).toBeGreaterThan(held);
    stored_ms = Math.max(stored_ms, systemClock.now() - ready);
    if (round % 2 === 0) await proxy.set({ kind: 'refuse' });
    await sleep(Math.random() * 2500);
    child.kill('SIGKILL');
    await once(child, 'exit');
    deaths.push([systemClock.now() - 1000, systemClock.now()]);
    await proxy.set({ kind: 'pass' });
  }
  const spool = await newSpool(root);
  const last = house.start({ probes: COUNTERS, spool });
  await expect.poll(() => last.holding, { timeout: 90_000 }).toEqual([scene.id]);
  await expect.poll(() => last.writer.stats.is_behind, { timeout: 60_000 }).toBe(false);
  await furtherReadings(generator, 3);
  await last.stop();
  await spool.stop();
  return { lost: await expectLost(scene, deaths), start_ms, first_ms, stored_ms };
}

/**
 * F8: a collector is killed or frozen, and another takes over. One that was frozen wakes up again, and what it reads
 * before it has noticed is refused, whatever its clock says. Answers how long nobody collected.
 */
export async function replaced(signal: 'SIGKILL' | 'SIGSTOP', wrongMs = 0): Promise<{ takeover_ms: number }> {
  const scene = await newFaultScene();
  const { house, generator } = scene;
  const root = testDirectory('spool');
  const child = await startProcess({ url: house.url, keyFile: house.keyFile, root, wrongMs });
  await furtherReadings(generator, 3);
  const spool = await newSpool();
  const other = house.start({ probes: COUNTERS, spool });
  onTestFinished(() => other.stop().then(() => spool.stop()));
  // It has looked around for as long as whoever comes new judges nobody.
  await furtherReadings(generator, 5);
  expect(other.holding).toEqual([]);
  const asleep = systemClock.now();
  child.kill(signal);
  const takeover_ms = Math.round((await nextReading(generator, asleep + 50)) - asleep);
  expect(other.holding).toEqual([scene.id]);
  await furtherReadings(generator, 3);
  const awake = systemClock.now();
  if (signal === 'SIGSTOP') {
    child.kill('SIGCONT');
    await furtherReadings(generator, 5);
    child.stdin.end();
    await once(child, 'exit');
  }
  const gone = systemClock.now();
  await other.stop();
  // An answer that was on its way when it fell asleep has come too late as well; what was killed had a second unsaved.
  await expectLost(scene, [
    [asleep - 1000, asleep + 500],
    [awake, Math.max(awake + 3000, gone)],
  ]);
  return { takeover_ms };
}

/** F8: two collectors, of which one always stops and another starts: each reading is stored once. */
export async function twoCollectors(rounds: number): Promise<void> {
  const scene = await newFaultScene();
  const { house, generator } = scene;
  let running = house.start({ probes: COUNTERS });
  for (let round = 0; round < rounds; round += 1) {
    const next = house.start({ probes: COUNTERS });
    await furtherReadings(generator, 2);
    const before = running;
    running = next;
    await before.stop();
    await expect.poll(() => next.holding, { timeout: 90_000 }).toEqual([scene.id]);
    await furtherReadings(generator, 2);
  }
  await running.stop();
  await expectComplete(scene);
}
