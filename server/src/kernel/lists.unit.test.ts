import { expect, it } from 'vitest';
import { append, greatest, least } from './lists.ts';

const many = Array.from({ length: 1_000_000 }, (_, n) => (n * 7919) % 1_000_003);

it('a million numbers are no more trouble than one', () => {
  expect(greatest(many)).toBe(many.reduce((a, b) => Math.max(a, b)));
  expect(least(many)).toBe(0);
  const list = [-1];
  append(list, many);
  expect(list).toHaveLength(1_000_001);
  expect(list.slice(0, 3)).toEqual([-1, ...many.slice(0, 2)]);
});

it('without any there is what was said to be there, or no bound', () => {
  expect(greatest([])).toBe(-Infinity);
  expect(greatest([], 0)).toBe(0);
  expect(greatest([-3], 0)).toBe(0);
  expect(greatest([Number.NaN, 3])).toBeNaN();
  expect(least([])).toBe(Infinity);
  expect(least([5], 3)).toBe(3);
});
