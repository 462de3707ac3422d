// Questions to the datastore that a tick waits for, though no longer than a moment. Guards: while it is away nothing is asked.
import { type Clock, sleep } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/** A tick waits so long for the datastore, unless told otherwise. */
const DATASTORE_MS = 1000;
const AWAY_MS = 30_000;

interface Options<D> {
  db: D;
  clock: Clock;
  log: Log;
  /** How long a tick waits for the datastore; milliseconds. */
  datastoreMs?: number;
  event: 'collector.texts_waiting' | 'collector.plans_failed';
}

export class BriefAsks<D> {
  readonly #options: Options<D>;
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(options: Options<D>) {
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#options.clock.monotonic() < this.#awayUntil;
  }

  /** Undefined when the datastore does not answer in a moment; then nothing is asked of it for a while. */
  async ask<T>(question: (db: D) => Promise<T>): Promise<T | undefined> {
    const { db, clock, log, event, datastoreMs = DATASTORE_MS } = this.#options;
    const answered = new AbortController();
    const late = sleep(datastoreMs, answered.signal).then(() => undefined);
    try {
      const work = question(db);
      work.catch(() => undefined);
      const answer = await Promise.race([work, late]);
      if (answer === undefined) this.#awayUntil = clock.monotonic() + AWAY_MS;
      return answer;
    } catch (error) {
      this.#awayUntil = clock.monotonic() + AWAY_MS;
      log.warn({ event, err: error });
      return undefined;
    } finally {
      answered.abort();
    }
  }
}
