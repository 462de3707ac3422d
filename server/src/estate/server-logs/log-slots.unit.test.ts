// Windows of many servers as slots: whole, once, and within the buckets that are drawn.
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { bucketsOf, piecesOf } from './log-slots.ts';

const NOON = Date.UTC(2026, 10, 29, 12);
const at = (minutes: number) => NOON + minutes * MINUTE_MS;
const past = (length: number, to = at(7)) => ({ from: to - length, to });

it('counts hours of a day, six hours of a week and days of a month', () => {
  const width = (length: number) => bucketsOf(past(length), 36).width;
  expect([1, 3, 6, 24].map((hours) => width(hours * HOUR_MS) / MINUTE_MS)).toEqual([2, 10, 20, 60]);
  expect([7, 30, 366].map((days) => width(days * DAY_MS) / HOUR_MS)).toEqual([6, 24, 264]);
});

it.each([
  [past(24 * HOUR_MS), 36, 0],
  [past(24 * HOUR_MS), 60, at(-700)],
  [past(24 * HOUR_MS), 1, at(-600)],
  [past(24 * HOUR_MS), 2, Number.POSITIVE_INFINITY],
  [past(7 * DAY_MS + 3 * MINUTE_MS, at(1.5)), 36, Math.floor(at(-4000) / (6 * HOUR_MS)) * 6 * HOUR_MS],
  [past(2 * HOUR_MS, at(9)), 5, 0],
  [past(90 * MINUTE_MS), 36, 0],
  [past(366 * DAY_MS), 2, 0],
])('covers the window once, each slot in one bucket: %j of %i', (window, most, wholeFrom) => {
  const { start, width, slots } = bucketsOf(window, most);
  expect(start).toBeLessThanOrEqual(window.from);
  expect(start + width).toBeGreaterThan(window.from);
  expect(Math.ceil((window.to - start) / width)).toBeLessThanOrEqual(most);
  let next = window.from;
  for (const { slot, from, to } of piecesOf(window, slots, wholeFrom)) {
    expect(from).toBe(next);
    next = to;
    if (slot === null) continue;
    expect([from % slot, to % slot]).toEqual([0, 0]);
    expect(from).toBeGreaterThanOrEqual(wholeFrom);
    const bucketOf = (time: number) => Math.floor((time - start) / width);
    for (let one = from; one < to; one += slot) expect(bucketOf(one)).toBe(bucketOf(one + slot - 1));
  }
  expect(next).toBe(window.to);
});

it('reads few slots of a day, and minutes only at its ends', () => {
  const window = past(24 * HOUR_MS);
  const { slots } = bucketsOf(window, 36);
  const pieces = piecesOf(window, slots, 0);
  const rows = pieces.reduce((sum, { slot, from, to }) => sum + (to - from) / (slot ?? MINUTE_MS), 0);
  expect(rows).toBeLessThan(45);
});
