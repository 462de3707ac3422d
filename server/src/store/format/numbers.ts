// A packed column of numbers (codec.ts) as one array of numbers and where there are any: what a reader of whole days wants, of
// which a server with thousands of statements has half a million in each column. Pure. Guards: it says the same as
// decodeColumn(); what ends too early is an error.
import { once } from '../../kernel/once.ts';
import { bodyOf, type Cell, decodeColumn, KIND } from './codec.ts';
import { KnownPlaces } from './value-bitmap.ts';
import { blocksIn, Cursor, type Way, wayIn } from './whole.ts';

export interface Numbers {
  readonly values: Float64Array;
  /** 1 where there is a value; undefined: everywhere. */
  readonly known: Uint8Array | undefined;
}

const TOO_EARLY = 'packed values end too early';

/** Varints from the begin of `data` on as differences or values. */
function readSteps(data: Uint8Array, out: Float64Array, { unit, isDelta }: Way): void {
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
}

/** As many as there is room for, written that way. */
function readNumbers(cursor: Cursor, way: Way, out: Float64Array): Float64Array {
  const first = cursor.varint();
  out[0] = first % 2 === 1 ? -(first + 1) / 2 : first / 2;
  readSteps(cursor.rest(), out, way);
  return out;
}

const readWhole = (cursor: Cursor, count: number) =>
  readNumbers(cursor, wayIn(cursor), new Float64Array(count));

/** Numbers one after the other, of which few are wanted or all of them. */
interface Values {
  at(place: number): number;
  all(): Float64Array;
}

const valuesOf = (all: () => Float64Array): Values => ({ all, at: (place) => all()[place] ?? 0 });

function divided(values: Float64Array, factor: number): Float64Array {
  if (factor === 1) return values;
  for (let index = 0; index < values.length; index += 1) values[index] = (values[index] ?? 0) / factor;
  return values;
}

/** Each block is read when one of its numbers is asked for. */
function inBlocks(cursor: Cursor, count: number, factor: number): Values {
  const { way, size, blocks } = blocksIn(cursor, count);
  const readInto = (block: Uint8Array, out: Float64Array) =>
    divided(readNumbers(new Cursor(block), way, out), factor);
  const read = blocks.map((block, index) =>
    once(() => readInto(block, new Float64Array(Math.min(size, count - index * size)))),
  );
  return {
    at: (place) => read[Math.floor(place / size)]?.()[place % size] ?? 0,
    all: once(() => {
      const all = new Float64Array(count);
      for (const [index, block] of blocks.entries())
        readInto(block, all.subarray(index * size, (index + 1) * size));
      return all;
    }),
  };
}

/** First bytes of all of them, then second bytes. */
function inBytes(data: Uint8Array, count: number, width: 4 | 8): Values {
  const view = new DataView(new ArrayBuffer(width));
  const at = (place: number) => {
    for (let byte = 0; byte < width; byte += 1) view.setUint8(byte, data[byte * count + place] ?? 0);
    return width === 4 ? view.getFloat32(0) : view.getFloat64(0);
  };
  return { at, all: () => Float64Array.from({ length: count }, (_none, place) => at(place)) };
}

/** Whole numbers, then fractions. */
function mixed(cursor: Cursor, count: number): Values {
  const width = cursor.byte() === 4 ? 4 : 8;
  const places = new KnownPlaces(cursor.some(Math.ceil(count / 8)));
  const [{ many }, rest] = [places, cursor.rest()];
  const end = rest.length - (count - many) * width;
  if (end < 0) throw new Error(TOO_EARLY);
  const fractions = inBytes(rest.subarray(end), count - many, width);
  const whole = valuesOf(once(() => (many > 0 ? readWhole(new Cursor(rest), many) : new Float64Array())));
  return {
    at(place) {
      const before = places.before(place);
      return places.has(place) ? whole.at(before) : fractions.at(place - before);
    },
    all() {
      const [all, others, known] = [new Float64Array(count), fractions.all(), whole.all()];
      let [w, f] = [0, 0];
      for (let place = 0; place < count; place += 1)
        all[place] = (places.has(place) ? known[w++] : others[f++]) ?? 0;
      return all;
    },
  };
}

function valuesIn(cursor: Cursor, kind: number, count: number): Values | undefined {
  if (kind === KIND.whole) return valuesOf(once(() => readWhole(cursor, count)));
  if (kind === KIND.wholeBlocks) return inBlocks(cursor, count, 1);
  if (kind === KIND.mixed) return mixed(cursor, count);
  if (kind === KIND.bits) return inBytes(cursor.some(count * 8), count, 8);
  if (kind !== KIND.scaled && kind !== KIND.scaledBlocks) return undefined;
  const factor = 10 ** cursor.byte();
  if (kind === KIND.scaledBlocks) return inBlocks(cursor, count, factor);
  return valuesOf(once(() => divided(readWhole(cursor, count), factor)));
}

/** Numbers by their places, of which few are wanted: nothing is made for those that are not there. */
export interface Elements {
  /** Null: there is none. */
  at(index: number): number | null;
  /** Of those there are from one place to before another. */
  sum(from: number, to: number): number;
  /** Of lists of the same length, one after the other: what each comes to from one place in it to before another. */
  sums(of: { count: number; length: number; from: number; to: number }): Float64Array;
}

function elementsOf(count: number, { places, values, isSame }: Kept): Elements {
  const read = (index: number) => values.at(isSame ? 0 : (places?.before(index) ?? index));
  const at = (index: number) => (index >= count || places?.has(index) === false ? null : read(index));
  return {
    at,
    sum(from, to) {
      let sum = 0;
      for (let index = from; index < to; index += 1) sum += at(index) ?? 0;
      return sum;
    },
    sums({ count: lists, length, from, to }) {
      const [sums, all] = [new Float64Array(lists), values.all()];
      const step = isSame ? 0 : 1;
      let [next, index] = [0, 0];
      for (let list = 0; list < lists; list += 1) {
        let sum = 0;
        for (let place = 0; place < length; place += 1, index += 1) {
          if (places?.has(index) === false) continue;
          if (place >= from && place < to) sum += all[next] ?? 0;
          next += step;
        }
        sums[list] = sum;
      }
      return sums;
    },
  };
}

/** A column's numbers, and which of its places have one; undefined: all of them. */
interface Kept {
  readonly places: KnownPlaces | undefined;
  readonly values: Values;
  /** Of all places the same. */
  readonly isSame: boolean;
}

/** The plain way, for what is packed otherwise. */
function plainly(data: Uint8Array): Kept {
  const cells = decodeColumn(data);
  const bits = new Uint8Array(Math.ceil(cells.length / 8));
  for (const [place, cell] of cells.entries())
    if (cell !== null) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
  const values = Float64Array.from(
    cells.filter((cell) => cell !== null),
    Number,
  );
  return { places: new KnownPlaces(bits), values: valuesOf(() => values), isSame: false };
}

function keptIn(data: Uint8Array): { count: number; kept: Kept } | undefined {
  const { kind, count, isSparse, isSame, body } = bodyOf(data);
  if (kind === KIND.nothing || count === 0) return undefined;
  const cursor = new Cursor(body);
  const places = isSparse ? new KnownPlaces(cursor.some(Math.ceil(count / 8))) : undefined;
  const values = valuesIn(cursor, kind, isSame ? 1 : (places?.many ?? count));
  return { count, kept: values ? { places, values, isSame } : plainly(data) };
}

/** Undefined: there is no number in it. */
export function elementsIn(data: Uint8Array): Elements | undefined {
  const found = keptIn(data);
  return found && elementsOf(found.count, found.kept);
}

/** Undefined: there is no number in it. */
export function decodeNumbers(data: Uint8Array): Numbers | undefined {
  const found = keptIn(data);
  if (!found) return undefined;
  const { count, kept } = found;
  const { places, isSame } = kept;
  const read = kept.values.all();
  if (!places && !isSame) return { values: read, known: undefined };
  const [values, known] = [new Float64Array(count), places && new Uint8Array(count)];
  let next = 0;
  for (let index = 0; index < count; index += 1) {
    if (places?.has(index) === false) continue;
    if (known) known[index] = 1;
    values[index] = read[isSame ? 0 : next] ?? 0;
    next += 1;
  }
  return { values, known };
}

const FAST: ReadonlySet<number> = new Set([
  KIND.whole,
  KIND.scaled,
  KIND.mixed,
  KIND.bits,
  KIND.wholeBlocks,
  KIND.scaledBlocks,
]);

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
