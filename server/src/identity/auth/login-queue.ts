// Work that waits its turn: so many at once, so many waiting, and no more. What finds the queue full is sent away
// at once with a time to come back, so that a storm of guesses costs a bounded amount of memory and processor.
import pLimit from 'p-limit';
import { Fault } from '../../kernel/errors.ts';

export type LoginQueue = <T>(work: () => Promise<T>) => Promise<T>;

const COME_BACK_SECONDS = 2;

/** Runs at most `at_once` pieces of work at a time; with `waiting` more in the queue, further ones are 429. */
export function loginQueue({ at_once, waiting }: { at_once: number; waiting: number }): LoginQueue {
  const limit = pLimit(at_once);
  return async (work) => {
    if (limit.pendingCount >= waiting)
      throw new Fault('too_many_requests', 'Too many people are signing in at once. Try again in a moment.', {
        retryAfterSeconds: COME_BACK_SECONDS,
      });
    return limit(work);
  };
}
