import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { turnsWaiting, yieldIfBusy } from './scheduler.ts';

function busy(ms: number): void {
  const until = systemClock.monotonic() + ms;
  while (systemClock.monotonic() < until);
}

it('many at work leave the loop to others between their pieces, and go on in order', async () => {
  const order: string[] = [];
  let isDone = false;
  let turns = 0;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let piece = 0; piece < 3; piece += 1) {
      busy(11);
      order.push(name);
      await yieldIfBusy();
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  isDone = true;
  expect(order).toHaveLength(9);
  expect(order.slice(3, 6)).toEqual(['a', 'b', 'c']);
  // The first pieces are made before anybody waits; each of the other six has a turn to itself.
  expect(turns).toBeGreaterThanOrEqual(6);
});

it('tells how many wait for their turn', async () => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(turnsWaiting()).toBe(0);
  const first = yieldIfBusy();
  busy(11);
  const others = [yieldIfBusy(), yieldIfBusy()];
  expect(turnsWaiting()).toBe(2);
  await Promise.all([first, ...others]);
  expect(turnsWaiting()).toBe(0);
});

it('short work goes on in the same turn', async () => {
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  for (let piece = 0; piece < 5; piece += 1) await yieldIfBusy();
  expect(turns).toBe(0);
});
