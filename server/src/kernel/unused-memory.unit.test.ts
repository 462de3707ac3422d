import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { isWorthReturning, mayYoungSpaceGrow, returnUnusedMemory } from './unused-memory.ts';

const look = { taken_bytes: 100e6, used_bytes: 50e6, busy: 0.01, since_ms: Infinity };

it('is worth it only when much is unused, little is in use, nobody works and the last time is long ago', () => {
  expect(isWorthReturning(look)).toBe(true);
  expect(isWorthReturning({ ...look, used_bytes: 80e6 })).toBe(false);
  expect(isWorthReturning({ ...look, taken_bytes: 400e6, used_bytes: 300e6 })).toBe(false);
  expect(isWorthReturning({ ...look, busy: 0.5 })).toBe(false);
  expect(isWorthReturning({ ...look, since_ms: 60_000 })).toBe(false);
});

it('gives back what a burst of work took', () => {
  let burst: { n: number }[] | undefined = Array.from({ length: 1_000_000 }, (_, n) => ({ n }));
  const taken = getHeapStatistics().total_heap_size;
  expect(burst.at(-1)).toEqual({ n: 999_999 });
  burst = undefined;
  expect(returnUnusedMemory()).toBeGreaterThan(16e6);
  expect(getHeapStatistics().total_heap_size).toBeLessThan(taken);
});

it('lets the space of young objects grow as far as the work is worth it', () => {
  expect(mayYoungSpaceGrow({ young_bytes: 32e6, busy: 0.5 })).toBe(true);
  expect(mayYoungSpaceGrow({ young_bytes: 2e6, busy: 0.05 })).toBe(true);
  expect(mayYoungSpaceGrow({ young_bytes: 8e6, busy: 0.05 })).toBe(false);
  expect(mayYoungSpaceGrow({ young_bytes: 2e6, busy: 0.005 })).toBe(false);
});
