// How long a failed delivery waits.
import { expect, it } from 'vitest';
import { retryDelayMs } from './retry.ts';

const delay = (failures: number, more: { retry_after_ms?: number; random?: number } = {}) =>
  retryDelayMs({ failures, retry_after_ms: more.retry_after_ms, random: more.random ?? 0 });

it('grows from 5 seconds to 15 minutes', () => {
  expect([1, 2, 3, 8, 9, 1000].map((failures) => delay(failures))).toEqual([
    5000, 10_000, 20_000, 640_000, 900_000, 900_000,
  ]);
});

it('spreads by a fifth', () => {
  expect(delay(1, { random: 1 })).toBe(4000);
  expect(delay(100, { random: 0.5 })).toBe(810_000);
});

it('waits as long as it was asked to, between 5 seconds and a day', () => {
  expect([0, 42_000, 1e12].map((retry_after_ms) => delay(9, { retry_after_ms }))).toEqual([
    5000, 42_000, 86_400_000,
  ]);
});
