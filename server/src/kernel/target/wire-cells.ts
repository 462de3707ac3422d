// Values straight from the bytes of a cell, of the types of which most cells are: a text that is only made to be read as a
// number takes ten times as long. Pure. Guards: each value is what values.ts makes of the cell's text; whatever is not
// plainly a value of its type is left to that.

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
