// Records of a list that may begin with the newest, as clouds and stores of logs list them, in the order in which they were written: the STATEMENT of an
// event comes behind it. Guards: memory is bounded; a list in order is read as it comes.
import { type Carrier, isOfServer } from './carrier.ts';
import type { Carried } from './envelope.ts';
import type { LineOutcome } from './stderr.ts';

/** By as many the order of a list is known. */
const LOOKED_AT = 64;
const MOST_HELD = 20_000;
const MOST_CHARACTERS = 32 * 1024 * 1024;

type Count = (outcome: LineOutcome | 'held', lines: number) => void;

interface Held {
  carried: Carried;
  lines: number;
}

export class OldestFirst {
  readonly #carrier: Carrier;
  readonly #count: Count;
  #held: Held[] = [];
  #size = 0;
  #order: 'unknown' | 'forward' | 'backward' = 'unknown';

  /** `count` hears what came of a line that was held. */
  constructor(carrier: Carrier, count: Count) {
    this.#carrier = carrier;
    this.#count = count;
  }

  take(carried: Carried, lines: number): LineOutcome | 'held' {
    const isOrdered = carried.isListed !== true || this.#order === 'forward' || !isOfServer(carried);
    if (isOrdered) return this.#carrier.take(carried, lines);
    this.#held.push({ carried, lines });
    this.#size += carried.text.length;
    if (this.#order === 'unknown' && this.#held.length >= LOOKED_AT) this.#decide();
    if (this.#held.length >= MOST_HELD || this.#size > MOST_CHARACTERS) this.#flush();
    return 'held';
  }

  end(): void {
    if (this.#order === 'unknown') this.#decide();
    this.#flush();
  }

  #decide(): void {
    let rises = 0;
    this.#held.forEach(({ carried }, at) => {
      rises += Math.sign(carried.time - (this.#held[at - 1]?.carried.time ?? carried.time));
    });
    this.#order = rises < 0 ? 'backward' : 'forward';
    if (this.#order === 'forward') this.#flush();
  }

  #flush(): void {
    const held = this.#order === 'backward' ? this.#held.toReversed() : this.#held;
    this.#held = [];
    this.#size = 0;
    for (const { carried, lines } of held)
      this.#count(this.#carrier.take(carried, lines), Math.min(1, lines));
  }
}
