// Messages in a stream of TCP, by RFC 6587: each begins with its length, or ends with a line end. Pure. Guards: memory is taken only for bytes
// that came, and never for more than the longest message; what is longer is skipped as it comes, and counted.

export interface FrameEvents {
  message(bytes: Buffer): void;
  /** So many bytes of a message that is too long. */
  tooLong(bytes: number): void;
}

const LINE_END = 10;
const LESS_THAN = 60;
const SPACE = 32;
/** A length has at most so many digits: less than 10 MB. */
const MOST_DIGITS = 7;

/** What is not syslog: the connection is of no use. */
export class NoFrame extends Error {}

export class FrameReader {
  readonly #most: number;
  readonly #events: FrameEvents;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of a message with a length that are still to be skipped. */
  #skip = 0;
  /** Within a line that is too long. */
  #isSkippingLine = false;

  constructor(most: number, events: FrameEvents) {
    this.#most = most;
    this.#events = events;
  }

  /** Bytes of a message that has not come whole. */
  get waiting(): number {
    return this.#rest.length;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const next = this.#next(at);
      if (next === undefined) break;
      at = next;
    }
    // A copy, so that a short rest does not keep a long chunk.
    this.#rest = Buffer.from(this.#rest.subarray(at));
  }

  /** The stream ended: a last line needs no line end. */
  end(): number {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (this.#isSkippingLine || rest.length === 0) return 0;
    if (rest[0] !== LESS_THAN) return rest.length;
    this.#events.message(rest);
    return 0;
  }

  /** Where the next message begins; undefined where more has to come first. */
  #next(at: number): number | undefined {
    const rest = this.#rest;
    if (at >= rest.length) return undefined;
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, rest.length - at);
      this.#skip -= skipped;
      this.#events.tooLong(skipped);
      return at + skipped;
    }
    const first = rest[at] ?? 0;
    if (this.#isSkippingLine || first === LESS_THAN) return this.#line(at);
    if (first === LINE_END || first === 0 || first === SPACE) return at + 1;
    return this.#counted(at);
  }

  #line(at: number): number | undefined {
    const rest = this.#rest;
    const end = rest.indexOf(LINE_END, at);
    const length = (end < 0 ? rest.length : end) - at;
    if (this.#isSkippingLine || length > this.#most) {
      this.#events.tooLong(length);
      this.#isSkippingLine = end < 0;
      return end < 0 ? rest.length : end + 1;
    }
    if (end < 0) return undefined;
    this.#events.message(rest.subarray(at, end));
    return end + 1;
  }

  #counted(at: number): number | undefined {
    const rest = this.#rest;
    const head = rest.toString('latin1', at, Math.min(rest.length, at + MOST_DIGITS + 1));
    const found = /^([1-9]\d*) /.exec(head);
    if (!found) {
      if (head.length <= MOST_DIGITS && /^[1-9]\d*$/.test(head)) return undefined;
      throw new NoFrame('neither a length nor a priority begins the message');
    }
    const start = at + found[0].length;
    const length = Number(found[1]);
    if (length > this.#most) {
      this.#skip = length;
      return start;
    }
    if (rest.length < start + length) return undefined;
    this.#events.message(rest.subarray(start, start + length));
    return start + length;
  }
}
