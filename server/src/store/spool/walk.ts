// Reads the records of all segments in order, and notices what cannot be read. Guards: damage is reported once, with
// the times between which samples are missing, and everything readable around it is kept.
import { HEADER_BYTES } from './format.ts';
import type { Scanned } from './scan.ts';
import { recordsOf, type Segment } from './segment.ts';

export interface Hole {
  /** The last record before it. */
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

/** One way through the segments; what is damaged at the end of one is closed by the first record of the next. */
export class Walk {
  readonly #onHole: (hole: Hole) => void;
  #open: { seq: number; from: number } | undefined;
  #last: { seq: number; from: number } | undefined;

  constructor(onHole: (hole: Hole) => void) {
    this.#onHole = onHole;
  }

  /** The records of one segment; `isSealed`: nothing more will be written to it. */
  async *through(segment: Segment, isSealed: boolean): AsyncGenerator<Scanned> {
    const isFirstTime = segment.records === null;
    const limit = segment.bytes;
    let [count, end] = [0, HEADER_BYTES];
    for await (const record of recordsOf(segment, limit)) {
      if (isFirstTime && record.after_damage) this.#begin(segment, record.head.from);
      this.#close(record.head.from);
      this.#last = { seq: record.head.seq, from: record.head.to };
      count += 1;
      end = record.end;
      yield record;
    }
    if (isFirstTime && end < limit) this.#begin(segment, this.#last?.from);
    if (isSealed) segment.records = count;
  }

  /** Nothing follows. */
  end(now: number): void {
    this.#close(now);
  }

  #begin({ header }: Segment, otherwise: number | undefined): void {
    this.#open ??= this.#last ?? { seq: header.first_seq, from: otherwise ?? 0 };
  }

  #close(to: number): void {
    if (this.#open) this.#onHole({ ...this.#open, to: Math.max(to, this.#open.from) });
    this.#open = undefined;
  }
}
