// When the writer writes next. Pure; times are monotonic milliseconds. Guards: what a few servers tell is there within a second; what
// many tell is written together, at most three seconds late; a datastore that is away is tried again and again.

const MAX_DELAY_MS = 1000;
const FLUSH_MS = 250;
/** So many times that lies between two flushes of runs; with many servers up to MOST_APART. */
const APART = 4;
const MOST_APART = 12;
/** A flush costs the datastore some thirty statements, whoever told: worth it for so many servers that told something. */
const TELLERS = 4;

export class WritePace {
  readonly #baseMs: number;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #tellers = new Set<number>();
  #apart = APART;

  constructor(baseMs = FLUSH_MS) {
    this.#baseMs = baseMs;
  }

  told(connectionId: number): void {
    this.#tellers.add(connectionId);
  }

  /** Runs are being written. */
  writes(now: number): void {
    // As many as would have told in the shortest time between two flushes, however long it was.
    const since = Math.max(now - this.#writtenAt, APART * this.#baseMs);
    const tellers = (this.#tellers.size * APART * this.#baseMs) / since;
    this.#apart = Math.min(MOST_APART, Math.max(APART, (APART * tellers) / TELLERS));
    this.#writtenAt = now;
    this.#tellers = new Set();
  }

  /** From now until the next flush, after so many failures in a row. */
  delay(now: number, failures: number): number {
    const base = this.#baseMs;
    if (failures > 0) return Math.min(MAX_DELAY_MS, base * 2 ** Math.min(failures, 10));
    // People wait for the very first samples.
    const least = this.#writtenAt > 0 ? base : base / 5;
    return Math.max(least, this.#writtenAt + this.#apart * base - now);
  }
}
