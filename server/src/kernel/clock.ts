// Time, as a thing that is handed in. Only this file may read the machine's clocks, so every rule that
// depends on time can be tested with a clock the test moves by hand.

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch (UTC). For timestamps that leave the process. */
  now(): number;
  /** Milliseconds that only ever grow, unaffected by wall-clock changes. For intervals and timeouts. */
  monotonic(): number;
  /** Resolves when `monotonic` has grown by `ms`, or early when the signal aborts (without rejecting). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
};

/** Resolves after `ms`, or early when the signal aborts (without rejecting). */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Waits for all of the work, but not longer; whatever comes of it is left to others. */
export async function within(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  const done = new AbortController();
  const all = Promise.allSettled(work).then(() => done.abort());
  await Promise.race([all, sleep(ms, done.signal)]);
}
