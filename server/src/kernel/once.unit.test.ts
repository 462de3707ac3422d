import { expect, it } from 'vitest';
import { once } from './once.ts';

it('makes a value at the first call alone, also where it is undefined', () => {
  let made = 0;
  const value = once(() => {
    made += 1;
    return undefined;
  });
  expect(made).toBe(0);
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(made).toBe(1);
});

it('tries again after a call that threw', () => {
  let calls = 0;
  const value = once(() => {
    calls += 1;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  expect(() => value()).toThrow('not yet');
  expect([value(), value()]).toEqual([2, 2]);
});
