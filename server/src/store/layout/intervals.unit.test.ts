// How long a value stands for.
import { expect, it } from 'vitest';
import { gapMs, gapSeconds, isCurrent } from './intervals.ts';

it('is two and a half intervals, the last moment included', () => {
  expect([gapSeconds(30), gapMs(0.2)]).toEqual([75, 500]);
  const at = Date.parse('2026-11-20T10:00:00Z');
  expect(isCurrent(at, at + 75_000, 30)).toBe(true);
  expect(isCurrent(at, at + 75_001, 30)).toBe(false);
});
