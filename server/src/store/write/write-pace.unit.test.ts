import { expect, it } from 'vitest';
import { WritePace } from './write-pace.ts';

it('writes the very first samples soon, and then what was told in a second together', () => {
  const pace = new WritePace(250);
  expect(pace.delay(1000, 0)).toBe(50);
  pace.writes(1050);
  expect(pace.delay(1100, 0)).toBe(950);
  expect(pace.delay(9000, 0)).toBe(250);
});

it('takes two seconds together where many servers tell something, and one again once they are few', () => {
  const pace = new WritePace(250);
  for (let id = 0; id < 16; id += 1) pace.told(id);
  pace.writes(1000);
  expect(pace.delay(1000, 0)).toBe(2000);
  for (let n = 0; n < 100; n += 1) pace.told(n % 15);
  pace.writes(3000);
  expect(pace.delay(3000, 0)).toBe(1000);
});

it('tries a datastore that is away ever less often, and at least each second', () => {
  const pace = new WritePace(250);
  pace.writes(1000);
  expect([1, 2, 3, 50].map((failures) => pace.delay(1000, failures))).toEqual([500, 1000, 1000, 1000]);
});
