// Asking the system's resolver, which works on a few threads that all of the process shares. Guards: names that DNS
// leaves without an answer do not hold up the others, nor the files that need the same threads.
import { lookup as systemLookup } from 'node:dns/promises';
import pLimit from 'p-limit';
import { type Clock, systemClock } from '../kernel/clock.ts';

/** All addresses of a name. Rejects with a `code` when there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Of libuv's four threads one is left for files. */
const USUAL_THREADS = 2;
const SLOW_THREADS = 1;
const SLOW_MS = 1500;
const MAX_REMEMBERED = 10_000;

/**
 * Shares one question among all who ask for a name at the same time. A name that was slow the last time waits in a
 * line of its own.
 */
export function sharedLookup(ask: Lookup, clock: Clock): Lookup {
  const usual = pLimit(USUAL_THREADS);
  const slow = pLimit(SLOW_THREADS);
  const slowNames = new Set<string>();
  const pending = new Map<string, Promise<readonly string[]>>();

  async function timed(host: string): Promise<readonly string[]> {
    const started = clock.monotonic();
    try {
      return await ask(host);
    } finally {
      if (clock.monotonic() - started < SLOW_MS) slowNames.delete(host);
      else if (slowNames.size < MAX_REMEMBERED) slowNames.add(host);
    }
  }

  return (host) => {
    const known = pending.get(host);
    if (known) return known;
    const line = slowNames.has(host) ? slow : usual;
    const answer = line(() => timed(host)).finally(() => pending.delete(host));
    pending.set(host, answer);
    return answer;
  };
}

export const lookupHost: Lookup = sharedLookup(
  async (host) => (await systemLookup(host, { all: true })).map(({ address }) => address),
  systemClock,
);
