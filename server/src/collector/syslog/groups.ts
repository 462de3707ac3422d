// Messages of one server until they are whole: the server splits long ones and those of several lines into numbered parts, and the network
// may bring these in any order. Pure. Guards: a part is taken once; parts that never come are waited for, and said; what belongs to
// no first part is not glued to another event; memory is bounded.
import { lineOf, type SyslogMessage } from './message.ts';

/** Also on a machine whose relay is kept waiting for its processor. */
const QUIET_MS = 2000;
/** A process that goes on without a pause and without numbers. */
const LONGEST_MS = 10_000;
/** What keeping a part takes besides its bytes. */
const OVERHEAD = 200;

interface Group {
  readonly parts: Map<number, string>;
  readonly isNumbered: boolean;
  readonly first: number;
  last: number;
  bytes: number;
}

export interface Taken {
  readonly lines: readonly string[];
  /** Bytes of messages of which parts are missing. */
  readonly incomplete: number;
}

export class MessageGroups {
  #groups = new Map<string, Group>();
  #size = 0;

  /** What it takes in memory, about. */
  get size(): number {
    return this.#size;
  }

  /** `now` is monotonic. */
  add(message: SyslogMessage, now: number): void {
    const { host, pid, sequence } = message;
    const key = `${host} ${pid} ${sequence}`;
    const isNumbered = sequence !== '';
    const group = this.#groups.get(key) ?? { parts: new Map(), isNumbered, first: now, last: now, bytes: 0 };
    const number = isNumbered ? message.part : group.parts.size + 1;
    if (group.parts.has(number)) return;
    const line = lineOf(message);
    group.parts.set(number, line);
    group.last = now;
    group.bytes += line.length;
    this.#size += line.length + OVERHEAD;
    this.#groups.set(key, group);
  }

  /** Those to which nothing was added for two seconds; all of them at the end. */
  take(now: number, isEnd = false): Taken {
    const lines: string[] = [];
    let incomplete = 0;
    for (const [key, group] of this.#groups) {
      const { parts, isNumbered, first, last, bytes } = group;
      if (!isEnd && now - last < QUIET_MS && now - first < LONGEST_MS) continue;
      this.#groups.delete(key);
      this.#size -= bytes + OVERHEAD * parts.size;
      const numbers = [...parts.keys()].toSorted((a, b) => a - b);
      const isWhole = !isNumbered || (numbers[0] === 1 && numbers.at(-1) === numbers.length);
      if (!isWhole) incomplete += bytes;
      if (isNumbered && numbers[0] !== 1) continue;
      for (const number of numbers) lines.push(parts.get(number) ?? '');
    }
    return { lines, incomplete };
  }
}
