// The gaps of a spool until the datastore has them: in memory, and in records on its disk for the process that comes
// next. Guards: a gap is handed over until it is stored, also one that arises while others are being stored, and one
// that the disk has no room for; a record of gaps that are stored holds up no file.
import { type Gap, GapLog, type GapReason, type Lost } from './gaps.ts';
import type { Item } from './queue.ts';

export class GapRecord {
  readonly #log = new GapLog();
  /** Records of this process that are on the disk. The newest says what the others say. */
  readonly #written = new Set<number>();
  #newest = -1;
  /** Whether the newest says everything; `later`: the disk would not take it. */
  #isSaid: 'yes' | 'no' | 'later' = 'yes';
  #handed = { number: 0, isCurrent: false };

  get size(): number {
    return this.#log.size;
  }

  add(reason: GapReason, lost: Lost, storedSeq: number): void {
    this.#log.add(reason, lost, storedSeq);
    this.#changed();
  }

  /** Takes over what an earlier process wrote, since that is given up. */
  absorb(text: string): void {
    this.#log.absorb(text);
    this.#changed();
  }

  #changed(): void {
    this.#isSaid = 'no';
    this.#handed.isCurrent = false;
  }

  /** A record of this process was given up: memory still has what it said. */
  dropped(seq: number): void {
    this.#written.delete(seq);
    if (seq === this.#newest && this.size > 0) this.#isSaid = 'no';
  }

  /** Time to try again what the disk would not take. */
  retry(): void {
    if (this.#isSaid === 'later') this.#isSaid = 'no';
  }

  /** Whether the disk should have a new record. */
  get isDue(): boolean {
    return this.#isSaid === 'no' && this.size > 0;
  }

  /** A record of all that is known by the time it is written. `onStored`: the datastore has it already. */
  item(seq: number, now: number, onStored: () => void): Omit<Item, 'seq'> {
    this.#newest = seq;
    this.#isSaid = 'yes';
    const refused = () => {
      if (seq === this.#newest) this.#isSaid = 'later';
    };
    return {
      kind: 'gaps',
      about: { connections: [], from: now, to: now },
      bytes: 0,
      payload: () => Buffer.from(this.#log.toJson()),
      done: (isWritten) => {
        if (!isWritten) refused();
        else if (this.size === 0) onStored();
        else this.#written.add(seq);
      },
      failed: refused,
    };
  }

  /** All of them, under a number that no record has. */
  handOver(): { seq: number; gaps: readonly Gap[] } | undefined {
    if (this.size === 0) return undefined;
    this.#handed = { number: this.#handed.number - 1, isCurrent: true };
    return { seq: this.#handed.number, gaps: this.#log.list() };
  }

  /** What was handed over under that number is stored. Answers the records that nobody needs any more. */
  stored(seq: number): number[] {
    const { number, isCurrent } = this.#handed;
    if (seq !== number || !isCurrent) return [];
    this.#log.clear();
    this.#isSaid = 'yes';
    const needless = [...this.#written];
    this.#written.clear();
    return needless;
  }
}
