// The datastore's time, kept on this machine: what is collected is stamped by the same clock that says when a lease was
// taken, whichever machine collects it. Between two readings of the datastore's clock, time passes by this machine's
// monotonic clock. Guards: the offset is changed only by as much as a reading has proven, so a datastore that is slow
// to answer does not shift the time.
import type { Clock } from '../kernel/clock.ts';

/** What we would not see in any figure. */
const NOISE_MS = 50;
/** So much is worth telling people. */
export const TELL_MS = 2000;

export class DatastoreClock implements Clock {
  readonly #own: Clock;
  #offsetMs = 0;

  constructor(own: Clock) {
    this.#own = own;
  }

  /** How much the datastore's clock is ahead of ours. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  now(): number {
    return this.#own.now() + this.#offsetMs;
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal);
  }

  /**
   * The datastore's time, asked at `asked` (monotonic) and answered just now. Answers whether ours was wrong by more
   * than the way there and back can explain.
   */
  learn(theirs: number, asked: number): boolean {
    const half = (this.#own.monotonic() - asked) / 2;
    const offset = theirs + half - this.#own.now();
    if (Math.abs(offset - this.#offsetMs) <= half + NOISE_MS) return false;
    this.#offsetMs = Math.round(offset);
    return true;
  }
}
