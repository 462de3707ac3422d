// Answers that took long to make, kept for a while and given to everybody who asks for the same; who asks while one is being made waits
// for it. Guards: the key holds all that the answer was made of, rights included; few are kept and none for long; what was made at once is
// made anew each time, so that nobody sees an older answer without need.
import type { Clock } from './clock.ts';
import type { Db } from './db.ts';
import { lasting, Shared, until } from './leaving.ts';

export interface PreparedOptions {
  /** What took so long is kept, in milliseconds. */
  dear_ms: number;
  keep_ms: number;
  /** More than so many: the oldest goes. */
  most: number;
}

interface Made<T> {
  answer: Promise<T>;
  waiting: Shared;
  /** Since when it is there; undefined: it is being made. */
  at: number | undefined;
}

interface Asker {
  db: Db;
  clock: Clock;
}

export class Prepared<T> {
  readonly #options: PreparedOptions;
  readonly #made = new WeakMap<Db, Map<string, Made<T>>>();

  constructor(options: PreparedOptions) {
    this.#options = options;
  }

  #of(db: Db): Map<string, Made<T>> {
    const known = this.#made.get(lasting(db)) ?? new Map<string, Made<T>>();
    this.#made.set(lasting(db), known);
    return known;
  }

  /** `make` reads from the datastore that it is given, which ends when nobody waits any more. */
  of({ db, clock }: Asker, key: string, make: (db: Db) => Promise<T>): Promise<T> {
    const all = this.#of(db);
    for (const [name, { at }] of all)
      if (
        at !== undefined &&
        (clock.monotonic() - at >= this.#options.keep_ms || all.size > this.#options.most)
      )
        all.delete(name);
    const known = all.get(key);
    // The signal of a request aborts after its reply as well: it ends what is being made, not what is there.
    if (known?.at !== undefined) return known.answer;
    if (known && !known.waiting.signal.aborted) {
      known.waiting.join(db.signal);
      return known.answer;
    }
    const waiting = new Shared();
    waiting.join(db.signal);
    const began = clock.monotonic();
    const made: Made<T> = { waiting, at: undefined, answer: make(until(lasting(db), () => waiting.signal)) };
    all.set(key, made);
    const forget = () => {
      if (all.get(key) === made) all.delete(key);
    };
    made.answer.then(() => {
      made.at = clock.monotonic();
      if (made.at - began < this.#options.dear_ms) forget();
    }, forget);
    return made.answer;
  }
}
