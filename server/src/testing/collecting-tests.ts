// What tests of the collector share: a house of their own, and waiting on its cadence instead of on the clock, which runs as the
// machine's does or is moved on by the test.
import { expect, onTestFinished } from 'vitest';
import type { Secret } from '../kernel/secret.ts';
import { type Collecting, collecting } from './collecting.ts';
import { testDatabase } from './servers/database.ts';

/** For expect.poll: generous, since nothing here is about speed. */
export const SOON = { timeout: 90_000, interval: 50 };

/** A datastore and collectors that end with the test. */
export async function newHouse(): Promise<Collecting & { url: Secret }> {
  const store = await testDatabase();
  const house = await collecting(store.url);
  onTestFinished(async () => {
    await house.stop();
    await store.close();
  });
  return { ...house, url: store.url };
}

/** How many different samples were seen by now, the newest at each call. */
function seenSamples(house: Collecting, id: number): () => Promise<number> {
  const seen = new Set<string>();
  return async () => {
    const pulse = await house.snapshot(id, 'pulse');
    if (pulse?.collected_at && pulse.outcome === 'ran') seen.add(pulse.collected_at);
    return seen.size;
  };
}

/** Resolves after `count` further samples of a probe; the cadence goes on. */
export async function furtherSamples(house: Collecting, id: number, count: number): Promise<void> {
  await expect.poll(seenSamples(house, id), SOON).toBeGreaterThan(count);
}

const LOOK_MS = 100;

/**
 * As `expect.poll`, while time passes for the collectors of that house: so many seconds at each look. 0 leaves the clock alone.
 */
export function pollMoved<T>({ clock }: Pick<Collecting, 'clock'>, look: () => T | Promise<T>, seconds = 2) {
  const move = () => {
    clock.advance(seconds * 1000);
    return look();
  };
  return expect.poll(move, { ...SOON, interval: LOOK_MS });
}

/** As `furtherSamples`, without waiting: the clock is moved on. */
export async function movedSamples(house: Collecting, id: number, count: number): Promise<void> {
  await pollMoved(house, seenSamples(house, id)).toBeGreaterThan(count);
}
