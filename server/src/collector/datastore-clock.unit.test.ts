// Time by the datastore's clock.
import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { DatastoreClock } from './datastore-clock.ts';

const START = 1_800_000_000_000;

it('follows a datastore whose clock is ahead or behind, and leaves the monotonic hand alone', () => {
  const own = manualClock(START);
  const clock = new DatastoreClock(own);
  expect(clock.now()).toBe(START);
  for (const ahead of [600_000, -600_000, 0]) {
    const asked = own.monotonic();
    own.advance(10);
    const theirs = own.now() - 5 + ahead;
    expect(clock.learn(theirs, asked)).toBe(true);
    expect([clock.offsetMs, clock.now() - own.now()]).toEqual([ahead, ahead]);
  }
  expect(clock.monotonic()).toBe(own.monotonic());
});

it('is not moved by less than the way there and back can explain', () => {
  const own = manualClock(START);
  const clock = new DatastoreClock(own);
  const asked = own.monotonic();
  own.advance(4000);
  expect(clock.learn(START, asked)).toBe(false);
  expect(clock.learn(START + 4000, asked)).toBe(false);
  expect(clock.offsetMs).toBe(0);
});

it('tells a large difference even from an answer that took long, and mends it with the next', () => {
  const own = manualClock(START);
  const clock = new DatastoreClock(own);
  const asked = own.monotonic();
  own.advance(2000);
  expect(clock.learn(START + 3_600_000, asked)).toBe(true);
  expect(clock.offsetMs).toBe(3_599_000);
  const again = own.monotonic();
  expect(clock.learn(own.now() + 3_600_000, again)).toBe(true);
  expect(clock.offsetMs).toBe(3_600_000);
});
