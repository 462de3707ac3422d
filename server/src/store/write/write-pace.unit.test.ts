import { expect, it } from 'vitest';
import { WritePace } from './write-pace.ts';

it('writes the very first samples soon, and then what was told in a second together', () => {
  const pace = new WritePace(250);
  expect(pace.delay(1000, 0)).toBe(50);
  pace.writes(1050);
  expect(pace.delay(1100, 0)).toBe(950);
  expect(pace.delay(9000, 0)).toBe(250);
});

it('waits for more the more servers tell something in a second, three seconds at most, and one again once they are few', () => {
  const pace = new WritePace(250);
  const told = (count: number) => {
    for (let n = 0; n < 3 * count; n += 1) pace.told(n % count);
  };
  pace.writes(1000);
  told(4);
  pace.writes(2000);
  expect(pace.delay(2000, 0)).toBe(1000);
  told(8);
  pace.writes(3000);
  expect(pace.delay(3000, 0)).toBe(2000);
  told(16);
  pace.writes(5000);
  expect(pace.delay(5000, 0)).toBe(2000);
  told(500);
  pace.writes(7000);
  expect(pace.delay(7000, 0)).toBe(3000);
  told(12);
  pace.writes(10_000);
  expect(pace.delay(10_000, 0)).toBe(1000);
});

it('tries a datastore that is away ever less often, and at least each second', () => {
  const pace = new WritePace(250);
  pace.writes(1000);
  expect([1, 2, 3, 50].map((failures) => pace.delay(1000, failures))).toEqual([500, 1000, 1000, 1000]);
});
