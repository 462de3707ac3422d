// Whoever sleeps by a clock wakes when that clock says so.
import { expect, it } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { movedClock } from '../testing/moved-clock.ts';
import { systemClock } from './clock.ts';

it.each([
  ['stands still', () => manualClock(0)],
  ['runs', movedClock],
])(
  'a clock that %s wakes those whose time has come when it is moved, and nobody else',
  async (_name, make) => {
    const clock = make();
    const awake: string[] = [];
    const asleep = (name: string, ms: number, signal?: AbortSignal) =>
      clock.sleep(ms, signal).then(() => awake.push(name));
    const stopping = new AbortController();
    const all = [
      asleep('short', 600_000),
      asleep('long', 1_200_000),
      asleep('stopped', 3_600_000, stopping.signal),
    ];
    clock.advance(500_000);
    await asleep('none', 0);
    expect(awake).toEqual(['none']);
    clock.advance(100_000);
    await all[0];
    expect(awake).toEqual(['none', 'short']);
    stopping.abort();
    await all[2];
    await asleep('late', 3_600_000, stopping.signal);
    clock.advance(600_000);
    await all[1];
    expect(awake).toEqual(['none', 'short', 'stopped', 'late', 'long']);
  },
);

it('a clock that is moved keeps the moments of the machine', () => {
  const clock = movedClock();
  clock.advance(3_600_000);
  expect(Math.abs(clock.now() - systemClock.now())).toBeLessThan(1000);
  expect(clock.monotonic() - systemClock.monotonic()).toBeGreaterThanOrEqual(3_600_000 - 1);
});
