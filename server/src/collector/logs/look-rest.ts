// How long reading of a log rests after a look at it. Pure. Guards: a look that took the server long is followed by a long pause; one that left much
// unread may be followed by the next at once, out of an allowance that fills up slowly, so that a flood costs the server no more in the long run.

/** Half a percent of a core. */
const REST_FACTOR = 200;
/** While a person waits for what the log says, which is not for long. */
const FOLLOWED_REST_FACTOR = 20;
/** A fifth of a core, for as long as the allowance lasts. */
const CATCH_UP_REST_FACTOR = 4;
const LONGEST_REST_MS = 600_000;
/** A thousandth of a core, saved up for less than three hours. */
const ALLOWANCE_SHARE = 0.001;
const MOST_ALLOWANCE_MS = 10_000;

interface Look {
  /** Monotonic. */
  readonly began: number;
  readonly ended: number;
  /** What the server took for it. */
  readonly took_ms: number;
  readonly isFollowed: boolean;
  /** It read as much as one look may. */
  readonly isBehind: boolean;
  /** Until the next look, if this one cost nothing. */
  readonly pause_ms: number;
}

export class LookRest {
  #allowance = MOST_ALLOWANCE_MS;
  #at: number | undefined;

  /** Answers how long to wait. */
  after({ began, ended, took_ms, isFollowed, isBehind, pause_ms }: Look): number {
    const saved = (ended - (this.#at ?? ended)) * ALLOWANCE_SHARE;
    this.#at = ended;
    this.#allowance = Math.max(0, Math.min(MOST_ALLOWANCE_MS, this.#allowance + saved) - took_ms);
    // As long as it took us as well, so that other servers have their turn.
    if (isBehind && this.#allowance > 0) return Math.max(ended - began, took_ms * CATCH_UP_REST_FACTOR);
    const factor = isFollowed ? FOLLOWED_REST_FACTOR : REST_FACTOR;
    return Math.max(pause_ms, Math.min(LONGEST_REST_MS, took_ms * factor));
  }
}
