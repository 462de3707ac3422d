// A cache of rows that were read together, and of the JSON made of them, kept under a fingerprint of the tables' state.
// It knows no rights: each caller says what state the tables are in and what the caller may see (decision 014). Guards:
// nothing is used that was read in another state of the tables or too long ago, requests at the same time share one
// reading, and the kept texts stay within their size.

import { inertJson } from './inert-text.ts';
import { JsonText } from './json-text.ts';

/** Ages that decide on a status are sixty seconds and more. */
const KEEP_MS = 2000;
const MOST_CHARACTERS = 32 * 1024 * 1024;

export interface CacheRequest<T> {
  /** Another text whenever what is read would be another. */
  fingerprint: string;
  /** Of a clock that only grows, in milliseconds. */
  now: number;
  read(): Promise<T>;
}

/** One reading, with what was drawn from it. */
export class CachedValue<T> {
  readonly value: T;
  readonly #texts = new Map<string, JsonText>();
  #characters = 0;

  constructor(value: T) {
    this.value = value;
  }

  /** The text of `key`, drawn when it is asked for the first time; those asked for longest ago go first. */
  text(key: string, draw: (value: T) => string): JsonText {
    const known = this.#texts.get(key);
    const json = known ?? new JsonText(inertJson(draw(this.value)));
    this.#texts.delete(key);
    this.#texts.set(key, json);
    if (known === undefined) this.#characters += key.length + json.text.length;
    for (const [oldest, gone] of this.#texts) {
      if (this.#characters <= MOST_CHARACTERS) break;
      this.#texts.delete(oldest);
      this.#characters -= oldest.length + gone.text.length;
    }
    return json;
  }

  get kept(): number {
    return this.#texts.size;
  }
}

interface Flight<T> {
  fingerprint: string;
  began_at: number;
  reading: Promise<CachedValue<T>>;
}

export interface Keeping {
  /** What was read is used that long, in milliseconds. */
  keep_ms: number;
  /** And that long while it is being read anew; never when it is absent. */
  while_reading_ms?: number;
}

export class FingerprintCache<T> {
  readonly #keeping: Keeping;
  #last: Flight<T> | undefined;
  #next: Flight<T> | undefined;

  constructor(keeping: Keeping = { keep_ms: KEEP_MS }) {
    this.#keeping = keeping;
  }

  of(asked: CacheRequest<T>): Promise<CachedValue<T>> {
    const last = this.#last?.fingerprint === asked.fingerprint ? this.#last : undefined;
    const age = last ? asked.now - last.began_at : Infinity;
    const { keep_ms, while_reading_ms = keep_ms } = this.#keeping;
    if (last && age < keep_ms) return last.reading;
    if (!last || age >= while_reading_ms) return this.#taken(this.#begin(asked));
    this.#readAhead(asked);
    return last.reading;
  }

  #begin({ fingerprint, now, read }: CacheRequest<T>): Flight<T> {
    return { fingerprint, began_at: now, reading: read().then((value) => new CachedValue(value)) };
  }

  #taken(flight: Flight<T>): Promise<CachedValue<T>> {
    this.#last = flight;
    flight.reading.catch(() => {
      if (this.#last === flight) this.#last = undefined;
    });
    return flight.reading;
  }

  /** Takes the place of the last one once it is there; where it fails, whoever asks later is told. */
  #readAhead(asked: CacheRequest<T>): void {
    if (this.#next?.fingerprint === asked.fingerprint) return;
    const flight = this.#begin(asked);
    this.#next = flight;
    const done = () => {
      if (this.#next === flight) this.#next = undefined;
    };
    flight.reading.then(() => {
      // Somebody may have read since then.
      if (flight.began_at > (this.#last?.began_at ?? -Infinity)) this.#last = flight;
      done();
    }, done);
  }
}
