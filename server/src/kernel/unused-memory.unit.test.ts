import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import {
  collectsAlone,
  growingPercent,
  isWorthReturning,
  letThreadsHelp,
  mayYoungSpaceGrow,
  returnUnusedMemory,
} from './unused-memory.ts';

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
  expect(mayYoungSpaceGrow({ young_bytes: 16e6, busy: 0.05 })).toBe(false);
  expect(mayYoungSpaceGrow({ young_bytes: 2e6, busy: 0.005 })).toBe(false);
  expect(mayYoungSpaceGrow({ young_bytes: 32e6, busy: 0.2 })).toBe(false);
});

it('lets the heap grow by 64 MB where there is steady work, and by little otherwise', () => {
  expect(growingPercent({ used_bytes: 80e6, busy: 0.05 })).toBe(80);
  expect(growingPercent({ used_bytes: 20e6, busy: 0.05 })).toBe(120);
  expect(growingPercent({ used_bytes: 400e6, busy: 0.05 })).toBe(40);
  expect(growingPercent({ used_bytes: 80e6, busy: 0.005 })).toBe(40);
  expect(growingPercent({ used_bytes: 200e6, busy: 0.5 })).toBe(96);
  expect(growingPercent({ used_bytes: 80e6, busy: 0.5 })).toBe(120);
  expect(growingPercent({ used_bytes: 600e6, busy: 0.5 })).toBe(40);
});

it('collects without help where there is little to do and to collect', () => {
  expect(collectsAlone({ used_bytes: 60e6, busy: 0.05 })).toBe(true);
  expect(collectsAlone({ used_bytes: 60e6, busy: 0.5 })).toBe(false);
  expect(collectsAlone({ used_bytes: 400e6, busy: 0.05 })).toBe(false);
});

it('tells the runtime so, in a word that it knows', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isAlone = new Function('return %IsEfficiencyModeEnabled()') as () => boolean;
  setFlagsFromString('--no-allow-natives-syntax');
  letThreadsHelp(false);
  expect(isAlone()).toBe(true);
  letThreadsHelp(true);
  expect(isAlone()).toBe(false);
});
