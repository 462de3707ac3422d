// What is usual at which hour, while weeks and days are few as well, and how far from it a value is.
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { hourOfWeek, placesOf, profileOf, Scores, scoreOf, type Value } from './anomaly-score.ts';

const MONDAY = Date.parse('2026-01-05T00:00:00Z');

/** A value every half an hour. */
const days = (count: number, of: (at: number) => number): Value[] =>
  Array.from({ length: count * 48 }, (_none, n) => {
    const at = MONDAY + n * 30 * 60_000;
    return { at, value: of(at) };
  });
const at3 = (at: number) => hourOfWeek(at) % 24 === 3;
const daily = (at: number) => (at3(at) ? 90 : 20) + (Math.floor(at / HOUR_MS) % 3);
const usual = (values: Value[], at: number, unit = 'percent') => {
  const profile = profileOf(values, unit);
  const place = placesOf(at).find((one) => profile?.medians[one] !== null) ?? -1;
  return { place, median: profile?.medians[place] ?? NaN, spread: profile?.spreads[place] ?? NaN };
};

it('counts the hours of the week from Monday, in UTC', () => {
  expect(hourOfWeek(MONDAY)).toBe(0);
  expect(hourOfWeek(MONDAY + 6 * DAY_MS + 23 * HOUR_MS)).toBe(167);
  expect(hourOfWeek(MONDAY - HOUR_MS)).toBe(167);
  expect(placesOf(MONDAY + DAY_MS + 3 * HOUR_MS)).toEqual([27, 171, 192]);
});

describe('what is usual', () => {
  it('is nothing within the first day', () => {
    expect(profileOf([], 'percent')).toBeUndefined();
    expect(profileOf(days(1, daily), 'percent')?.medians.every((one) => one === null)).toBe(true);
  });

  it('is of all hours in the first days, then of the hour of the day, then of the hour of the week', () => {
    const at = MONDAY + 40 * DAY_MS + 3 * HOUR_MS;
    expect(usual(days(2, daily), at)).toMatchObject({ place: 192, median: 21 });
    expect(usual(days(7, daily), at)).toMatchObject({ place: 171, median: 90 });
    expect(usual(days(28, daily), at)).toMatchObject({ place: 123, median: 90 });
  });

  it('has a least spread: one percent, a twentieth of the median, or what the unit says', () => {
    expect(
      usual(
        days(7, () => 10),
        MONDAY,
      ).spread,
    ).toBe(1);
    expect(
      usual(
        days(7, () => 60),
        MONDAY,
      ).spread,
    ).toBe(3);
    expect(
      usual(
        days(7, () => 0),
        MONDAY,
        'count/s',
      ).spread,
    ).toBe(1);
  });
});

it('scores by spreads, ten at most', () => {
  expect(scoreOf(20, { median: 20, spread: 0 })).toBe(0);
  expect(scoreOf(29, { median: 20, spread: 2 })).toBe(4.5);
  expect(scoreOf(11, { median: 20, spread: 2 })).toBe(4.5);
  expect(scoreOf(9000, { median: 20, spread: 2 })).toBe(10);
  expect(scoreOf(21, { median: 20, spread: 0 })).toBe(10);
});

it('reaches what three of the last five samples do, each counted once', () => {
  const scores = new Scores();
  const reached = [9, 1, 8, 9, 1, 1, 1].map((score, at) => {
    scores.add(at, score);
    scores.add(at, 10);
    return scores.reached;
  });
  expect(reached).toEqual([null, null, 1, 8, 8, 1, 1]);
});
