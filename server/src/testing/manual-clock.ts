// A clock that a test moves by hand.
import type { Clock } from '../kernel/clock.ts';

/** A clock that stands still until `advance` moves both of its hands, which wakes those whose time has come. */
export function manualClock(startMs: number): Clock & { advance(ms: number): void } {
  let elapsed = 0;
  const asleep = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || ms <= 0) return resolve();
        const wake = () => {
          asleep.delete(one);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const one = { until: elapsed + ms, wake };
        asleep.add(one);
        signal?.addEventListener('abort', wake, { once: true });
      }),
    advance(ms) {
      elapsed += ms;
      for (const { until, wake } of [...asleep]) if (until <= elapsed) wake();
    },
  };
}
