// One column of an hour as bytes and back: whole numbers as zig-zag varints of their differences (in units of what they
// have in common; whole.ts), fractions as whole numbers where that is exact, texts through a small dictionary; then deflate
// where it helps. Pure. Guards: what comes back is what went in, to the last bit; null stays null.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Bytes, Cursor, HALF_SAFE, MANY, readBlocks, readWhole, writeBlocks, writeWhole } from './whole.ts';

/** Whole numbers beyond 2^53 are bigints. */
export type Cell = number | bigint | string | boolean | null;
export type CellType = 'whole' | 'double' | 'boolean' | 'text';

export const KIND = {
  nothing: 0,
  whole: 1,
  big: 2,
  bits: 3,
  scaled: 4,
  text: 5,
  boolean: 6,
  mixed: 7,
  /** As whole and scaled, in blocks. */
  wholeBlocks: 8,
  scaledBlocks: 9,
} as const;
const SPARSE = 0x10;
const DEFLATED = 0x20;
const ALL_SAME = 0x40;
const WORTH_DEFLATING = 12;
const bigZigzag = (value: bigint) => (value < 0n ? -2n * value - 1n : 2n * value);
const bigUnzigzag = (value: bigint) => (value & 1n ? -(value + 1n) / 2n : value / 2n);

function writeBig(out: Bytes, values: readonly bigint[]): void {
  let last = 0n;
  for (const value of values) {
    out.bigVarint(bigZigzag(value - last));
    last = value;
  }
}

function readBig(cursor: Cursor, count: number): Cell[] {
  let last = 0n;
  return Array.from({ length: count }, () => {
    last += bigUnzigzag(cursor.bigVarint());
    const plain = Number(last);
    return Number.isSafeInteger(plain) ? plain : last;
  });
}

/** Bytes of a fraction: 4 where that is exact. */
type Width = 4 | 8;

/** The bytes of all fractions, first bytes first, so that equal ones stand together. */
function writeBits(out: Bytes, values: readonly number[], width: Width): void {
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (const [index, value] of values.entries())
    if (width === 4) view.setFloat32(index * 4, value);
    else view.setFloat64(index * 8, value);
  for (let byte = 0; byte < width; byte += 1)
    for (let index = 0; index < values.length; index += 1) out.byte(view.getUint8(index * width + byte));
}

function readBits(cursor: Cursor, count: number, width: Width): number[] {
  const data = cursor.some(count * width);
  const view = new DataView(new ArrayBuffer(count * width));
  for (let byte = 0; byte < width; byte += 1)
    for (let index = 0; index < count; index += 1)
      view.setUint8(index * width + byte, data[byte * count + index] ?? 0);
  return Array.from({ length: count }, (_none, index) =>
    width === 4 ? view.getFloat32(index * 4) : view.getFloat64(index * 8),
  );
}

const isWhole = (value: number) =>
  Number.isInteger(value) && Math.abs(value) < HALF_SAFE && !Object.is(value, -0);

/** Whole numbers as such, and fractions beside them. */
function writeMixed(out: Bytes, values: readonly number[]): void {
  const fractions = values.filter((value) => !isWhole(value));
  const width = fractions.every((value) => Object.is(Math.fround(value), value)) ? 4 : 8;
  const whole = values.filter(isWhole);
  out.byte(width);
  writeHoles(
    out,
    values.map((value) => (isWhole(value) ? value : null)),
  );
  if (whole.length > 0) writeWhole(out, whole);
  writeBits(out, fractions, width);
}

function readMixed(cursor: Cursor, count: number): number[] {
  const width = cursor.byte() === 4 ? 4 : 8;
  const bits = cursor.some(Math.ceil(count / 8));
  let known = 0;
  for (let index = 0; index < count; index += 1) known += bitOf(bits, index);
  const whole = known > 0 ? readWhole(cursor, known) : [];
  const fractions = readBits(cursor, count - known, width);
  let [w, f] = [0, 0];
  return Array.from({ length: count }, (_none, index) => {
    if (bitOf(bits, index) === 1) return whole[w++] ?? 0;
    return fractions[f++] ?? 0;
  });
}

const MOST_DIGITS = 6;

/** Digits after the point with which all of them are whole numbers and come back exactly; undefined: there are none. */
function digitsOf(values: readonly number[]): number | undefined {
  let digits = 0;
  for (const value of values) {
    for (;;) {
      const factor = 10 ** digits;
      const whole = Math.round(value * factor);
      // Whole numbers have no minus zero.
      if (Object.is(whole, -0)) return undefined;
      if (Math.abs(whole) < HALF_SAFE && Object.is(whole / factor, value)) break;
      digits += 1;
      if (digits > MOST_DIGITS) return undefined;
    }
  }
  return digits;
}

/** Answers whether in blocks. */
function writeMany(out: Bytes, values: readonly number[]): boolean {
  const isMany = values.length >= MANY;
  (isMany ? writeBlocks : writeWhole)(out, values);
  return isMany;
}

function writeDoubles(out: Bytes, values: readonly number[]): number {
  const digits = digitsOf(values);
  if (digits === undefined) {
    writeMixed(out, values);
    return KIND.mixed;
  }
  const factor = 10 ** digits;
  out.byte(digits);
  const whole = values.map((value) => Math.round(value * factor));
  return writeMany(out, whole) ? KIND.scaledBlocks : KIND.scaled;
}

function writeTexts(out: Bytes, values: readonly string[]): void {
  const positions = new Map<string, number>();
  for (const value of values) if (!positions.has(value)) positions.set(value, positions.size);
  out.varint(positions.size);
  for (const text of positions.keys()) {
    const data = Buffer.from(text);
    out.varint(data.length);
    out.all(data);
  }
  for (const value of values) out.varint(positions.get(value) ?? 0);
}

function readTexts(cursor: Cursor, count: number): string[] {
  const texts = Array.from({ length: cursor.varint() }, () =>
    Buffer.from(cursor.some(cursor.varint())).toString(),
  );
  return Array.from({ length: count }, () => texts[cursor.varint()] ?? '');
}

const asNumber = (value: Cell) => (typeof value === 'number' ? value : Number(value));
const asBig = (value: Cell) => (typeof value === 'bigint' ? value : BigInt(Number(value)));

function writeValues(out: Bytes, type: CellType, values: readonly Cell[]): number {
  if (type === 'text') {
    writeTexts(out, values.map(String));
    return KIND.text;
  }
  if (type === 'boolean') {
    for (const value of values) out.byte(value === true ? 1 : 0);
    return KIND.boolean;
  }
  if (type === 'double') return writeDoubles(out, values.map(asNumber));
  if (values.every((value) => typeof value === 'number' && Math.abs(value) < HALF_SAFE)) {
    return writeMany(out, values.map(asNumber)) ? KIND.wholeBlocks : KIND.whole;
  }
  writeBig(out, values.map(asBig));
  return KIND.big;
}

function readValues(cursor: Cursor, kind: number, count: number): Cell[] {
  if (count === 0) return [];
  if (kind === KIND.whole) return readWhole(cursor, count);
  if (kind === KIND.big) return readBig(cursor, count);
  if (kind === KIND.bits) return readBits(cursor, count, 8);
  if (kind === KIND.mixed) return readMixed(cursor, count);
  if (kind === KIND.text) return readTexts(cursor, count);
  if (kind === KIND.boolean) return Array.from({ length: count }, () => cursor.byte() === 1);
  if (kind === KIND.wholeBlocks) return readBlocks(cursor, count);
  if (kind === KIND.scaled || kind === KIND.scaledBlocks) {
    const factor = 10 ** cursor.byte();
    const read = kind === KIND.scaled ? readWhole : readBlocks;
    return read(cursor, count).map((value) => value / factor);
  }
  throw new Error(`packed values of an unknown kind: ${kind}`);
}

const bitOf = (bits: Uint8Array, index: number) => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1;

/** A bit for each value that is there. */
function writeHoles(out: Bytes, values: readonly Cell[]): void {
  for (let start = 0; start < values.length; start += 8) {
    let bits = 0;
    for (let index = 0; index < 8; index += 1)
      if ((values[start + index] ?? null) !== null) bits |= 1 << index;
    out.byte(bits);
  }
}

/** A column as bytes. Every value is of that type or null. */
export function encodeColumn(type: CellType, values: readonly Cell[]): Uint8Array {
  const known = values.filter((value) => value !== null);
  const isSparse = known.length < values.length && known.length > 0;
  const first = known[0];
  const isSame = known.length > 1 && known.every((value) => Object.is(value, first));
  const body = new Bytes();
  if (isSparse) writeHoles(body, values);
  const kept = isSame && first !== undefined ? [first] : known;
  const kind = known.length === 0 ? KIND.nothing : writeValues(body, type, kept);
  const plain = body.take();
  const small = plain.length > WORTH_DEFLATING ? deflateRawSync(plain, { level: 9 }) : plain;
  const isDeflated = small.length < plain.length;
  const out = new Bytes();
  out.byte(kind | (isSparse ? SPARSE : 0) | (isDeflated ? DEFLATED : 0) | (isSame ? ALL_SAME : 0));
  out.varint(values.length);
  const head = out.take();
  return Buffer.concat([head, isDeflated ? small : plain]);
}

const MOST_BYTES = 256 * 1024 * 1024;

/** What stands before the values, and their bytes. */
export function bodyOf(data: Uint8Array) {
  const head = new Cursor(data);
  const flags = head.byte();
  const [kind, count] = [flags & 0x0f, head.varint()];
  const isInflated = (flags & DEFLATED) === 0 || kind === KIND.nothing;
  const rest = head.rest();
  const body = isInflated ? rest : inflateRawSync(rest, { maxOutputLength: MOST_BYTES });
  return { kind, count, body, isSparse: (flags & SPARSE) !== 0, isSame: (flags & ALL_SAME) !== 0 };
}

export function decodeColumn(data: Uint8Array): Cell[] {
  const { kind, count, body, isSparse, isSame } = bodyOf(data);
  if (kind === KIND.nothing) return new Array<Cell>(count).fill(null);
  const cursor = new Cursor(body);
  const holes = isSparse ? cursor.some(Math.ceil(count / 8)) : undefined;
  let known = count;
  if (holes) {
    known = 0;
    for (let index = 0; index < count; index += 1) known += bitOf(holes, index);
  }
  const values = readValues(cursor, kind, isSame ? 1 : known);
  if (!holes && !isSame) return values;
  const cells: Cell[] = [];
  let next = 0;
  for (let index = 0; index < count; index += 1) {
    const isKnown = holes === undefined || bitOf(holes, index) === 1;
    cells.push(isKnown ? (values[isSame ? 0 : next] ?? null) : null);
    if (isKnown) next += 1;
  }
  return cells;
}
