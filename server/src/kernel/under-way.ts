// Work in the background that is under way, and when the datastore answered it last. Guards: that it hangs is noticed from outside of
// it, since what hangs says nothing; work that takes long and gets answers is left alone.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

export interface Round {
  /** Milliseconds of a clock that only grows. */
  readonly began: number;
  answered: number;
}

const current = new AsyncLocalStorage<{ round: Round; clock: Pick<Clock, 'monotonic'> }>();

/** The datastore has answered a statement of whatever is under way here. */
export function answered(): void {
  const here = current.getStore();
  if (here) here.round.answered = here.clock.monotonic();
}

/** Runs it so that its answers are noted in `round`. */
export function underWay<T>(
  round: Round,
  clock: Pick<Clock, 'monotonic'>,
  work: () => Promise<T>,
): Promise<T> {
  return current.run({ round, clock }, work);
}
