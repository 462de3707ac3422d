// What a condition would have made of known histories: fires, holds, clears by two samples, waits for its duration, and stays
// silent after it has cleared.
import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Condition, Reading } from './judge.service.ts';
import { openSeconds, replay } from './replay.ts';

const END = 1000 * MINUTE_MS;
const CONDITION: Condition = { operator: '>', threshold: 80, severity: 'warning', lastsSeconds: 0 };
const UNTIL = { to: END, gap_ms: 150_000 };

/** One value a minute from the first one on; undefined: nobody measured; 'gone': a run did not find it. */
const minutes = (values: readonly (number | null | undefined | 'gone')[]): Reading[] =>
  values.flatMap((value, minute): Reading[] => {
    const at = minute * MINUTE_MS;
    if (value === undefined) return [];
    return value === 'gone' ? [{ at, value: null, isGone: true }] : [{ at, value }];
  });

const spans = (values: Parameters<typeof minutes>[0], condition: Partial<Condition> = {}) =>
  replay(minutes(values), { ...CONDITION, ...condition }, UNTIL).map(({ fired_at, cleared_at, peak }) => [
    fired_at / MINUTE_MS,
    cleared_at === undefined ? undefined : cleared_at / MINUTE_MS,
    peak,
  ]);

const LOW = [1, 1, 1, 1, 1, 1, 1];

it('fires on the first sample that meets the condition and clears by two that do not', () => {
  expect(spans([1, 90, 95, 1, 91, 1, 1, ...LOW, 99, 1, 1])).toEqual([
    [1, 6, 95],
    [14, 16, 99],
  ]);
});

it('neither fires nor clears where nobody measured or nobody knows', () => {
  expect(spans([90, undefined, undefined, 1, undefined, null, 90, 1, null, 1])).toEqual([[0, 9, 90]]);
  expect(spans([undefined, null])).toEqual([]);
});

it('clears what two runs did not find any more', () => {
  expect(spans([90, 'gone', 90, 'gone', 'gone', 'gone'])).toEqual([[0, 4, 90]]);
});

it('waits until the condition has lasted long enough, from its first sample', () => {
  const lasting = { lastsSeconds: 120 };
  expect(spans([90, 90, 1, 90, 90, 91, 92, 1, 1], lasting)).toEqual([[5, 8, 92]]);
  expect(spans([90, 1, 90, 1, 90, 1], lasting)).toEqual([]);
});

it('stays silent for five minutes after it has cleared, and fires then if the condition is met still', () => {
  expect(spans([90, 1, 1, 90, 90, 90, 90, 90, 90])).toEqual([
    [0, 2, 90],
    [7, undefined, 90],
  ]);
  // The newest one is held back, and is judged when the silence ends.
  expect(spans([90, 1, 1, undefined, undefined, 93])).toEqual([
    [0, 2, 90],
    [7, undefined, 93],
  ]);
  // By then it is old.
  expect(spans([90, 1, 1, 93])).toEqual([[0, 2, 90]]);
});

it('keeps the lowest value where less is worse', () => {
  expect(spans([70, 50, 60, 90, 90], { operator: '<' })).toEqual([[0, 4, 50]]);
});

it('counts how long an alert would have been open, as far as anything is known', () => {
  const [cleared] = replay(minutes([90, 90, 1, 1]), CONDITION, UNTIL);
  expect(cleared && openSeconds(cleared, UNTIL)).toBe(180);
  const [open] = replay(minutes([90, 90]), CONDITION, UNTIL);
  expect(open && openSeconds(open, UNTIL)).toBe(60);
  expect(open && openSeconds(open, { ...UNTIL, to: 3 * MINUTE_MS })).toBe(180);
});
