// A clock for tests over real servers: it runs as the machine's does, and the test moves it on instead of waiting. Guards: only the
// hand of intervals and timeouts is moved; moments stay those of the machine, which a datastore compares with its own.
import { type Clock, sleep, systemClock } from '../kernel/clock.ts';

export interface MovedClock extends Clock {
  /** So much has passed, for all that go by this clock; whoever slept until then wakes up. */
  advance(ms: number): void;
}

export function movedClock(): MovedClock {
  let ahead = 0;
  let moved = new AbortController();
  const monotonic = () => systemClock.monotonic() + ahead;
  return {
    now: systemClock.now,
    monotonic,
    async sleep(ms, signal) {
      const until = monotonic() + ms;
      for (let left = ms; left > 0 && !signal?.aborted; left = until - monotonic())
        await sleep(left, signal ? AbortSignal.any([signal, moved.signal]) : moved.signal);
    },
    advance(ms) {
      ahead += ms;
      moved.abort();
      moved = new AbortController();
    },
  };
}
