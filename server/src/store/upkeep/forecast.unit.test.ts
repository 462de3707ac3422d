import { expect, it } from 'vitest';
import { forecastOf, type Growth } from './forecast.ts';

const growth: Growth = {
  size_bytes: 300,
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
  expect(forecastOf({ ...growth, bytes_per_day: null, size_bytes: 0 }, 7)).toBe(0);
});
