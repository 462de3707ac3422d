// When the writer writes next. Pure; times are monotonic milliseconds. Guards: what a few servers tell is there within a second; what
// many tell is written together, at most two seconds late; a datastore that is away is tried again and again.

const MAX_DELAY_MS = 1000;
const FLUSH_MS = 250;
/** So many times that lies between two flushes of runs. */
const APART = 4;
/** Of servers that told something since the flush before. A flush costs the datastore some thirty statements, whoever told. */
const MANY = 16;

export class WritePace {
  readonly #baseMs: number;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #tellers = new Set<number>();
  #areMany = false;

  constructor(baseMs = FLUSH_MS) {
    this.#baseMs = baseMs;
  }

  told(connectionId: number): void {
    this.#tellers.add(connectionId);
  }

  /** Runs are being written. */
  writes(now: number): void {
    this.#writtenAt = now;
    this.#areMany = this.#tellers.size >= MANY;
    this.#tellers = new Set();
  }

  /** From now until the next flush, after so many failures in a row. */
  delay(now: number, failures: number): number {
    const base = this.#baseMs;
    if (failures > 0) return Math.min(MAX_DELAY_MS, base * 2 ** Math.min(failures, 10));
    // People wait for the very first samples.
    const least = this.#writtenAt > 0 ? base : base / 5;
    return Math.max(least, this.#writtenAt + APART * base * (this.#areMany ? 2 : 1) - now);
  }
}
