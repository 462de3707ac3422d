// What tests of the collector share: a house of their own, and waiting on its cadence instead of on the clock.
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

/** Resolves after `count` further samples of a probe; the cadence goes on. */
export async function furtherSamples(house: Collecting, id: number, count: number): Promise<void> {
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      const pulse = await house.snapshot(id, 'pulse');
      if (pulse?.collected_at && pulse.outcome === 'ran') seen.add(pulse.collected_at);
      return seen.size;
    }, SOON)
    .toBeGreaterThan(count);
}
