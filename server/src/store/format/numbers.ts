// A packed column of numbers (codec.ts) as one array of numbers and where there are any: what a reader of whole days wants, of
// which a server with thousands of statements has half a million in each column. Pure. Guards: it says the same as
// decodeColumn(); what ends too early is an error.
import { Cursor } from './bytes.ts';
import { bitOf, bodyOf, type Cell, decodeColumn, KIND } from './codec.ts';

export interface Numbers {
  readonly values: Float64Array;
  /** 1 where there is a value; undefined: everywhere. */
  readonly known: Uint8Array | undefined;
}

const TOO_EARLY = 'packed values end too early';

/** Varints from the begin of `data` on as differences or values; answers how many bytes they took. */
function readSteps(
  data: Uint8Array,
  out: Float64Array,
  { unit, isDelta }: { unit: number; isDelta: boolean },
): number {
  let at = 0;
  let last = out[0] ?? 0;
  for (let index = 1; index < out.length; index += 1) {
    let byte = data[at++] ?? 0;
    if (byte < 0x80) {
      // Most steps are small: halved as whole numbers.
      const small = ((byte & 1) === 1 ? -((byte + 1) >> 1) : byte >> 1) * unit;
      last = isDelta ? last + small : small;
      out[index] = last;
      continue;
    }
    let value = byte & 0x7f;
    let factor = 128;
    while (byte > 0x7f) {
      if (at >= data.length) throw new Error(TOO_EARLY);
      byte = data[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      factor *= 128;
    }
    const step = (value % 2 === 1 ? -(value + 1) / 2 : value / 2) * unit;
    last = isDelta ? last + step : step;
    out[index] = last;
  }
  if (at > data.length) throw new Error(TOO_EARLY);
  return at;
}

function readWhole(cursor: Cursor, count: number): Float64Array {
  const out = new Float64Array(count);
  const isDelta = cursor.byte() === 1;
  const unit = cursor.varint();
  const first = cursor.varint();
  out[0] = first % 2 === 1 ? -(first + 1) / 2 : first / 2;
  cursor.some(readSteps(cursor.rest(), out, { unit, isDelta }));
  return out;
}

/** First bytes of all of them, then second bytes. */
function readBits(cursor: Cursor, count: number, width: 4 | 8): Float64Array {
  const data = cursor.some(count * width);
  const view = new DataView(new ArrayBuffer(count * width));
  const out = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const first = index * width;
    for (let byte = 0; byte < width; byte += 1) view.setUint8(first + byte, data[byte * count + index] ?? 0);
    out[index] = width === 4 ? view.getFloat32(first) : view.getFloat64(first);
  }
  return out;
}

function readMixed(cursor: Cursor, count: number): Float64Array {
  const width = cursor.byte() === 4 ? 4 : 8;
  const { known: isWhole, many } = maskOf(cursor.some(Math.ceil(count / 8)), count);
  const whole = many > 0 ? readWhole(cursor, many) : new Float64Array();
  const out = readBits(cursor, count - many, width);
  if (many === 0) return out;
  const both = new Float64Array(count);
  let [w, f] = [0, 0];
  for (let index = 0; index < count; index += 1)
    both[index] = (isWhole[index] === 1 ? whole[w++] : out[f++]) ?? 0;
  return both;
}

function readValues(cursor: Cursor, kind: number, count: number): Float64Array | undefined {
  if (kind === KIND.whole) return readWhole(cursor, count);
  if (kind === KIND.mixed) return readMixed(cursor, count);
  if (kind === KIND.bits) return readBits(cursor, count, 8);
  if (kind !== KIND.scaled) return undefined;
  const factor = 10 ** cursor.byte();
  const out = readWhole(cursor, count);
  for (let index = 0; index < count; index += 1) out[index] = (out[index] ?? 0) / factor;
  return out;
}

function maskOf(bits: Uint8Array, count: number): { known: Uint8Array; many: number } {
  const known = new Uint8Array(count);
  let many = 0;
  for (let index = 0; index < count; index += 1) {
    // Most objects did not grow in most spans.
    if ((index & 7) === 0 && bits[index >> 3] === 0) {
      index += 7;
      continue;
    }
    const bit = bitOf(bits, index);
    known[index] = bit;
    many += bit;
  }
  return { known, many };
}

/** Numbers by their places, of which few are wanted: nothing is made for those that are not there. */
export interface Elements {
  /** Null: there is none. */
  at(index: number): number | null;
  /** Of those there are from one place to before another. */
  sum(from: number, to: number): number;
}

const BITS_OF_BYTE = Uint8Array.from({ length: 256 }, (_none, byte) => {
  let bits = 0;
  for (let rest = byte; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
});

/** By byte: how many are there before it. */
function countsBefore(bits: Uint8Array): { before: Uint32Array; many: number } {
  const before = new Uint32Array(bits.length);
  let many = 0;
  for (let byte = 0; byte < bits.length; byte += 1) {
    before[byte] = many;
    many += BITS_OF_BYTE[bits[byte] ?? 0] ?? 0;
  }
  return { before, many };
}

/** With `at` as it is: what they come to. */
const summedUp = (at: Elements['at']): Elements => ({
  at,
  sum(from, to) {
    let sum = 0;
    for (let index = from; index < to; index += 1) sum += at(index) ?? 0;
    return sum;
  },
});

/** Undefined: there is no number in it. */
export function elementsIn(data: Uint8Array): Elements | undefined {
  const { kind, count, isSparse, isSame, body } = bodyOf(data);
  if (kind === KIND.nothing || count === 0) return undefined;
  const cursor = new Cursor(body);
  const bits = isSparse ? cursor.some(Math.ceil(count / 8)) : undefined;
  const { before, many } = bits ? countsBefore(bits) : { before: undefined, many: count };
  const read = readValues(cursor, kind, isSame ? 1 : many);
  if (!read) {
    const { values, known } = plainly(data);
    return summedUp((index) => (known?.[index] === 0 ? null : (values[index] ?? null)));
  }
  return summedUp((index) => {
    if (index >= count) return null;
    if (!bits || !before) return read[isSame ? 0 : index] ?? null;
    const [byte, mask] = [bits[index >> 3] ?? 0, 1 << (index & 7)];
    if ((byte & mask) === 0) return null;
    return read[isSame ? 0 : (before[index >> 3] ?? 0) + (BITS_OF_BYTE[byte & (mask - 1)] ?? 0)] ?? null;
  });
}

/** The plain way, for what is packed otherwise. */
function plainly(data: Uint8Array): Numbers {
  const cells = decodeColumn(data);
  const known = Uint8Array.from(cells, (cell) => Number(cell !== null));
  return { values: Float64Array.from(cells, Number), known };
}

/** Undefined: there is no number in it. */
export function decodeNumbers(data: Uint8Array): Numbers | undefined {
  const { kind, count, isSparse, isSame, body } = bodyOf(data);
  if (kind === KIND.nothing || count === 0) return undefined;
  const cursor = new Cursor(body);
  const { known, many } = isSparse
    ? maskOf(cursor.some(Math.ceil(count / 8)), count)
    : { known: undefined, many: count };
  const read = readValues(cursor, kind, isSame ? 1 : many);
  if (!read) return plainly(data);
  if (!known && !isSame) return { values: read, known };
  const values = new Float64Array(count);
  let next = 0;
  for (let index = 0; index < count; index += 1) {
    if (known && known[index] === 0) continue;
    values[index] = read[isSame ? 0 : next] ?? 0;
    next += 1;
  }
  return { values, known };
}

const FAST: ReadonlySet<number> = new Set([KIND.whole, KIND.scaled, KIND.mixed, KIND.bits]);

/** Cells of any column one by one, for whoever wants a few of many; beyond its end there are none. */
export function cellsOf(data: Uint8Array | undefined): (index: number) => Cell {
  if (!data) return () => null;
  // The kind is in the low bits of the first byte.
  if (!FAST.has((data[0] ?? 0) & 0x0f)) {
    const cells = decodeColumn(data);
    return (index) => cells[index] ?? null;
  }
  return elementsIn(data)?.at ?? (() => null);
}
