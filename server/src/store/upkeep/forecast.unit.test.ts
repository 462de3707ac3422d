import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { firstWholeDay, forecastOf, forecastOfAll, type Growth, growthOf } from './forecast.ts';

const growth: Growth = {
  size_bytes: 300,
  is_empty: false,
  bytes_per_day: 100,
  retention_days: 7,
  age_days: 3,
  is_passing: false,
};

it('grows by the day until retention takes as much as comes', () => {
  expect(forecastOf(growth, 2)).toBe(500);
  expect(forecastOf(growth, 7)).toBe(800);
  expect(forecastOf(growth, 365)).toBe(800);
});

it('rows on their way to be packed stay as many; what nobody knows is not nothing', () => {
  expect(forecastOf({ ...growth, is_passing: true }, 365)).toBe(300);
  expect(forecastOf({ ...growth, bytes_per_day: null }, 7)).toBeNull();
  expect(forecastOf({ ...growth, bytes_per_day: null, is_empty: true }, 7)).toBe(300);
});

describe('before there is a whole day', () => {
  const now = Date.parse('2026-11-22T15:00:00Z');
  const today = Date.parse('2026-11-22T00:00:00Z');
  const table = { table_name: 't', probe: 'p', retention_days: 7, is_passing: false };
  const day = (n: number, size_bytes: number) => ({
    table: 't',
    schema: 'metrics',
    name: `t${n}`,
    day: today + n * DAY_MS,
    until: today + (n + 1) * DAY_MS,
    size_bytes,
    rows: null,
    is_empty: size_bytes <= 16_384,
  });
  const month = { ...day(-21, 900_000), until: today + 9 * DAY_MS };
  const of = (partitions: readonly ReturnType<typeof day>[], begin = firstWholeDay(partitions, table, now)) =>
    growthOf(table, partitions, { now, begin }).bytes_per_day;

  it('nobody knows: not from the day that began in its middle, nor from days made ahead', () => {
    expect(of([day(0, 500_000), day(1, 16_384)])).toBeNull();
    expect(of([day(-1, 16_384), day(0, 500_000), day(1, 16_384)])).toBeNull();
    expect(of([day(-1, 500_000), day(0, 500_000)])).toBeNull();
    expect(of([day(-2, 100_000), day(-1, 500_000), day(0, 300_000)])).toBe(500_000);
  });

  it('a month counts from the day on that something was collected', () => {
    expect(of([month], today + DAY_MS)).toBeNull();
    expect(of([month], today)).toBeNull();
    expect(of([month], today - 3 * DAY_MS)).toBe(300_000);
  });

  it('a store that is older than its retention has whole days alone', () => {
    expect(of([day(-7, 700_000), day(-6, 700_000)])).toBe(700_000);
  });

  it('a sum with a probe that nobody knows counts it with what it is now', () => {
    const probe = (in_365_days_bytes: number | null) => ({
      probe: 'p',
      size_bytes: 5,
      in_7_days_bytes: null,
      in_30_days_bytes: null,
      in_365_days_bytes,
    });
    const year = (...bytes: (number | null)[]) =>
      forecastOfAll(bytes.map(probe), (one) => one.in_365_days_bytes);
    expect(year(null, null)).toEqual({ bytes: null, unknown: 2 });
    expect(year(null, 0)).toEqual({ bytes: null, unknown: 1 });
    expect(year(100, null)).toEqual({ bytes: 105, unknown: 1 });
    expect(year(100, 7)).toEqual({ bytes: 107, unknown: 0 });
    expect(year()).toEqual({ bytes: 0, unknown: 0 });
  });
});
