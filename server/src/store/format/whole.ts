// Numbers as bytes and back: unsigned varints, also of what is beyond 32 and 53 bits; whole numbers as zig-zag varints of themselves or
// of their differences, in units of what they have in common; many of them in blocks, so that whoever wants a few reads the block where
// they lie. Pure. Guards: what comes back is what went in.

export class Bytes {
  #data = new Uint8Array(256);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#data.length) {
      const grown = new Uint8Array(this.#data.length * 2);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.#length] = value;
    this.#length += 1;
  }

  /** A whole number from 0 on, up to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  bigVarint(value: bigint): void {
    let rest = value;
    while (rest > 0x7fn) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  all(values: Uint8Array): void {
    for (const value of values) this.byte(value);
  }

  take(): Uint8Array {
    return this.#data.slice(0, this.#length);
  }
}

/** Reads what `Bytes` wrote; beyond its end is an error, never an endless loop. */
export class Cursor {
  readonly #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  byte(): number {
    const value = this.#data[this.#at];
    if (value === undefined) throw new Error('packed values end too early');
    this.#at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  bigVarint(): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  }

  some(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#data.length) throw new Error('packed values end too early');
    const part = this.#data.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  rest(): Uint8Array {
    return this.#data.subarray(this.#at);
  }
}

/** Of these and their sums of a few no digit is lost. */
export const HALF_SAFE = Number.MAX_SAFE_INTEGER / 4;

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

function common(values: readonly number[]): number {
  let unit = 0;
  for (const value of values) {
    let [a, b] = [unit, Math.abs(value)];
    while (b > 0) [a, b] = [b, a % b];
    unit = a;
    if (unit === 1) break;
  }
  return unit || 1;
}

const differences = (values: readonly number[]) =>
  values.map((value, index) => value - (values[index - 1] ?? 0));
const cost = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + 1 + Math.log2(1 + Math.abs(value)), 0);

/** How numbers are written: as they are or as differences, whichever is smaller, in units of what they have in common. */
export interface Way {
  readonly isDelta: boolean;
  readonly unit: number;
}

/** The first stands apart, so that the unit is that of the rest; `chosen` has what is written of each but the first. */
function wayOf(values: readonly number[]): Way & { chosen: readonly number[] } {
  const [, ...steps] = differences(values);
  const [, ...plain] = values;
  const isDelta = cost(steps) < cost(plain);
  const chosen = isDelta ? steps : plain;
  return { isDelta, unit: common(chosen), chosen };
}

function writeWay(out: Bytes, { isDelta, unit }: Way): void {
  out.byte(isDelta ? 1 : 0);
  out.varint(unit);
}

export const wayIn = (cursor: Cursor): Way => ({ isDelta: cursor.byte() === 1, unit: cursor.varint() });

export function writeWhole(out: Bytes, values: readonly number[]): void {
  const { chosen, ...way } = wayOf(values);
  writeWay(out, way);
  out.varint(zigzag(values[0] ?? 0));
  for (const value of chosen) out.varint(zigzag(value / way.unit));
}

/** So many of them, written that way. */
function numbersIn(cursor: Cursor, { isDelta, unit }: Way, count: number): number[] {
  let last = unzigzag(cursor.varint());
  const values = [last];
  while (values.length < count) {
    const value = unzigzag(cursor.varint()) * unit;
    last = isDelta ? last + value : value;
    values.push(last);
  }
  return values;
}

export const readWhole = (cursor: Cursor, count: number): number[] => numbersIn(cursor, wayIn(cursor), count);

/** Numbers of a block: what one object has in a day lies in one or two of them. */
const BLOCK = 1024;
/** Fewer are not cut into blocks. */
export const MANY = 16 * BLOCK;

/**
 * How all of them are written, how many a block has (the last one: what is left), the length of each, then the blocks. All blocks are
 * written the same way, since what is alike in several of them is deflated together.
 */
export function writeBlocks(out: Bytes, values: readonly number[]): void {
  const { chosen, ...way } = wayOf(values);
  const blocks: Uint8Array[] = [];
  for (let from = 0; from < values.length; from += BLOCK) {
    const block = new Bytes();
    block.varint(zigzag(values[from] ?? 0));
    for (const value of chosen.slice(from, from + BLOCK - 1)) block.varint(zigzag(value / way.unit));
    blocks.push(block.take());
  }
  writeWay(out, way);
  out.varint(BLOCK);
  for (const { length } of blocks) out.varint(length);
  for (const block of blocks) out.all(block);
}

export interface Blocks {
  readonly way: Way;
  readonly size: number;
  readonly blocks: readonly Uint8Array[];
}

/** Of so many numbers. */
export function blocksIn(cursor: Cursor, count: number): Blocks {
  const [way, size] = [wayIn(cursor), cursor.varint()];
  if (size < 1) throw new Error('packed values end too early');
  const lengths = Array.from({ length: Math.ceil(count / size) }, () => cursor.varint());
  return { way, size, blocks: lengths.map((length) => cursor.some(length)) };
}

export function readBlocks(cursor: Cursor, count: number): number[] {
  const { way, size, blocks } = blocksIn(cursor, count);
  return blocks.flatMap((block, index) =>
    numbersIn(new Cursor(block), way, Math.min(size, count - index * size)),
  );
}
