// Values straight from the bytes of a cell, of the types of which most cells are: a text that is only made to be read as a
// number takes ten times as long. Pure. Guards: each value is what values.ts makes of the cell's text; whatever is not
// plainly a value of its type is left to that.

import { textOf } from './foreign-text.ts';

/** Every number of so many digits is exact. */
const MOST_DIGITS = 15;
const MINUS = 0x2d;
const ZERO = 0x30;
const TRUE = 0x74;
const FALSE = 0x66;

/** Undefined: not to be told from the bytes. */
type CellReader = (buffer: Buffer, from: number, to: number) => unknown;

const readInteger: CellReader = (buffer, from, to) => {
  const isNegative = buffer[from] === MINUS;
  const first = isNegative ? from + 1 : from;
  if (first >= to || to - first > MOST_DIGITS) return undefined;
  let value = 0;
  for (let at = first; at < to; at += 1) {
    const digit = (buffer[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
};

const readBoolean: CellReader = (buffer, from, to) => {
  if (to - from !== 1) return undefined;
  const letter = buffer[from];
  return letter === TRUE ? true : letter === FALSE ? false : undefined;
};

const readNothing: CellReader = () => undefined;

/** int8, int2, int4 and oid; bool. */
const READERS = new Map<number, CellReader>([
  [20, readInteger],
  [21, readInteger],
  [23, readInteger],
  [26, readInteger],
  [16, readBoolean],
]);

export const cellReader = (typeOid: number): CellReader => READERS.get(typeOid) ?? readNothing;

/** An Int32 of the wire; the bytes were checked to be there. */
export const int32At = (buffer: Buffer, at: number): number =>
  ((buffer[at] ?? 0) << 24) |
  ((buffer[at + 1] ?? 0) << 16) |
  ((buffer[at + 2] ?? 0) << 8) |
  (buffer[at + 3] ?? 0);

/** Longer ones are seldom repeated. */
const MOST_REPEATED = 32;

/**
 * What is made of the texts of a column. Of many columns (schemas, databases, kinds, times of a reset) a cell says what the
 * one before it said: to compare its bytes takes less than to make a text of them once more.
 */
export class RepeatedText {
  readonly #parse: (text: string) => unknown;
  readonly #bytes = new Uint8Array(MOST_REPEATED);
  /** Of the cell before, where it was made a text; -1: of none. */
  #length = -1;
  #value: unknown;

  readonly #encoding: string;

  constructor(parse: (text: string) => unknown, encoding = 'UTF8') {
    this.#parse = parse;
    this.#encoding = encoding;
  }

  /** Throws where the text is none of its type. */
  read(buffer: Buffer, from: number, to: number): unknown {
    const length = to - from;
    if (length === this.#length && this.#isRepeated(buffer, from)) return this.#value;
    const value = this.#parse(textOf(buffer.subarray(from, to), this.#encoding));
    // Whatever else there is could be changed by whoever gets it.
    if (length > MOST_REPEATED || typeof value !== 'string') return value;
    for (let at = 0; at < length; at += 1) this.#bytes[at] = buffer[from + at] ?? 0;
    this.#length = length;
    this.#value = value;
    return value;
  }

  /** Names that differ mostly do so at their end. */
  #isRepeated(buffer: Buffer, from: number): boolean {
    for (let at = this.#length - 1; at >= 0; at -= 1) if (this.#bytes[at] !== buffer[from + at]) return false;
    return true;
  }
}
