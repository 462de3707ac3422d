// What a collector remembers of the newest values of every object, column by column, in as few bytes as hold them
// exactly: there may be millions of objects on a thousand servers. Pure. Guards: what is read is what was put in, to
// the last digit; a column that fits no narrower form is kept as plain values.
import type { Value } from '../../layout/types.ts';

/** How a column lies: nothing known at all, numbers in so many bytes, or as they were. */
const KIND = {
  none: 0,
  tiny: 1,
  short: 2,
  int: 3,
  double: 4,
  time: 5,
  big: 6,
  boolean: 7,
  plain: 8,
} as const;
const WIDTHS = [0, 1, 2, 4, 8, 8, 8, 1, 0];

/** What stands for null in each kind; a double that is no number in the others. */
const NULL = { tiny: 0xff, short: 0xffff, int: -(2 ** 31), big: -(2n ** 63n) } as const;

const BIG = /^-?[1-9]\d{15,18}$/;
const FIRST_YEAR = 1970;
/** Beyond it microseconds do not fit into a double. */
const LAST_YEAR = 2240;
/** Month, day, hour, minute and second: where they stand, from which number on, and how many there are. */
const FIELDS = [
  { at: 5, first: 1, size: 12 },
  { at: 8, first: 1, size: 31 },
  { at: 11, first: 0, size: 24 },
  { at: 14, first: 0, size: 60 },
  { at: 17, first: 0, size: 60 },
] as const;
const NO_FIELD = { at: 0, first: 0, size: 1 } as const;
const SIZES = [...FIELDS.map(({ size }) => size), 1_000_000];

const two = (number: number) => String(number).padStart(2, '0');

/** NaN: something else stands there as well. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Microseconds of what follows the seconds: nothing, or a point and digits without a zero at their end. */
function microsOf(text: string): number {
  const end = text.length - 1;
  if (end === 19) return 0;
  if (text[19] !== '.' || text[end - 1] === '0') return Number.NaN;
  return digits(text, 20, end) * 10 ** (26 - end);
}

const isLaidOut = (text: string) =>
  text.length >= 20 &&
  text.length <= 27 &&
  text.length !== 21 &&
  text[10] === 'T' &&
  text.endsWith('Z') &&
  text[4] === '-' &&
  text[7] === '-' &&
  text[13] === ':' &&
  text[16] === ':';

/** A moment as one number, each as another one; NaN: it is none, or written otherwise. */
function timeCode(text: string): number {
  if (!isLaidOut(text)) return Number.NaN;
  const year = digits(text, 0, 4);
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) return Number.NaN;
  let code = year - FIRST_YEAR;
  for (let field = 0; field < FIELDS.length; field += 1) {
    const { at, first, size } = FIELDS[field] ?? NO_FIELD;
    const value = digits(text, at, at + 2) - first;
    if (!(value >= 0 && value < size)) return Number.NaN;
    code = code * size + value;
  }
  return code * 1_000_000 + microsOf(text);
}

function timeText(code: number): string {
  let rest = code;
  const next = (size: number) => {
    const field = rest % size;
    rest = Math.floor(rest / size);
    return field;
  };
  const [micros, second, minute, hour, day, month] = [...SIZES].reverse().map(next);
  const fraction = micros ? `.${String(micros).padStart(6, '0').replace(/0+$/, '')}` : '';
  const date = `${rest + FIRST_YEAR}-${two((month ?? 0) + 1)}-${two((day ?? 0) + 1)}`;
  return `${date}T${two(hour ?? 0)}:${two(minute ?? 0)}:${two(second ?? 0)}${fraction}Z`;
}

/** An integer that no double holds, as text; smaller ones come as numbers. */
function isBig(text: string): boolean {
  if (!BIG.test(text) || Number.isSafeInteger(Number(text))) return false;
  const exact = BigInt(text);
  return exact > NULL.big && exact < 2n ** 63n;
}

const FOUND = { integer: 1, fraction: 2, boolean: 4, time: 8, big: 16, other: 32 } as const;

function foundOf(value: Exclude<Value, null>): number {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return FOUND.integer;
    return Number.isFinite(value) ? FOUND.fraction : FOUND.other;
  }
  if (typeof value === 'boolean') return FOUND.boolean;
  if (!Number.isNaN(timeCode(value))) return FOUND.time;
  return isBig(value) ? FOUND.big : FOUND.other;
}

function integerKind(low: number, high: number): number {
  if (low >= 0 && high < NULL.tiny) return KIND.tiny;
  if (low >= 0 && high < NULL.short) return KIND.short;
  return low > NULL.int && high < -NULL.int ? KIND.int : KIND.double;
}

function kindOf(values: readonly Value[]): number {
  let [found, low, high] = [0, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    found |= foundOf(value);
    if (found >= FOUND.other) return KIND.plain;
    if (typeof value !== 'number') continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (found === 0) return KIND.none;
  if (found === FOUND.integer) return integerKind(low, high);
  if (found === FOUND.boolean) return KIND.boolean;
  if (found === FOUND.time) return KIND.time;
  if (found <= (FOUND.integer | FOUND.fraction)) return KIND.double;
  return (found & ~FOUND.integer) === FOUND.big ? KIND.big : KIND.plain;
}

function putNumber(view: DataView, encoding: { kind: number; at: number }, value: number | null): void {
  const { kind, at } = encoding;
  if (kind === KIND.tiny || kind === KIND.boolean) view.setUint8(at, value ?? NULL.tiny);
  else if (kind === KIND.short) view.setUint16(at, value ?? NULL.short);
  else if (kind === KIND.int) view.setInt32(at, value ?? NULL.int);
  else view.setFloat64(at, value ?? Number.NaN);
}

function put(view: DataView, encoding: { kind: number; at: number }, value: Value): void {
  if (encoding.kind === KIND.big) view.setBigInt64(encoding.at, value === null ? NULL.big : BigInt(value));
  else if (typeof value === 'string') putNumber(view, encoding, timeCode(value));
  else putNumber(view, encoding, value === null ? null : Number(value));
}

function exactly(value: bigint): Value {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : String(value);
}

/** ColumnBuffer of one length. Never changed. */
export class ColumnBuffer {
  readonly count: number;
  readonly #view: DataView;
  /** ColumnBuffer that are kept as they are, in their order. */
  readonly #plain: readonly (readonly Value[])[];

  constructor(columns: readonly (readonly Value[])[], count: number) {
    this.count = count;
    const kinds = columns.map(kindOf);
    const bytes = kinds.reduce((sum, kind) => sum + (WIDTHS[kind] ?? 0) * count, kinds.length);
    this.#view = new DataView(new ArrayBuffer(bytes));
    let at = kinds.length;
    for (const [column, kind] of kinds.entries()) {
      this.#view.setUint8(column, kind);
      const width = WIDTHS[kind] ?? 0;
      if (width > 0)
        for (const value of columns[column] ?? []) {
          put(this.#view, { kind, at }, value);
          at += width;
        }
    }
    this.#plain = columns.filter((_, column) => kinds[column] === KIND.plain);
  }

  /** One reader for each column, of so many. */
  readers(columns: number): ColumnReader[] {
    let at = columns;
    let plain = 0;
    return Array.from({ length: columns }, (_, column) => {
      const kind = this.#view.getUint8(column);
      const values = kind === KIND.plain ? (this.#plain[plain] ?? []) : [];
      if (kind === KIND.plain) plain += 1;
      const reader = new ColumnReader({ view: this.#view, kind, at, values });
      at += (WIDTHS[kind] ?? 0) * this.count;
      return reader;
    });
  }
}

interface Encoded {
  readonly view: DataView;
  readonly kind: number;
  readonly at: number;
  readonly values: readonly Value[];
}

export class ColumnReader {
  readonly #view: DataView;
  readonly #kind: number;
  readonly #at: number;
  readonly #values: readonly Value[];

  constructor({ view, kind, at, values }: Encoded) {
    this.#view = view;
    this.#kind = kind;
    this.#at = at;
    this.#values = values;
  }

  /** As a number, where it lies as one; undefined: null. */
  #number(row: number): number | undefined {
    if (this.#kind === KIND.tiny || this.#kind === KIND.boolean) {
      const value = this.#view.getUint8(this.#at + row);
      return value === NULL.tiny ? undefined : value;
    }
    if (this.#kind === KIND.short) {
      const value = this.#view.getUint16(this.#at + 2 * row);
      return value === NULL.short ? undefined : value;
    }
    if (this.#kind === KIND.int) {
      const value = this.#view.getInt32(this.#at + 4 * row);
      return value === NULL.int ? undefined : value;
    }
    const value = this.#view.getFloat64(this.#at + 8 * row);
    return Number.isNaN(value) ? undefined : value;
  }

  /** Whether it is that value, without making anything. */
  isSame(row: number, value: Value): boolean {
    if (this.#kind === KIND.none) return value === null;
    if (this.#kind >= KIND.time) return this.#isSameOther(row, value);
    const number = this.#number(row);
    return number === undefined ? value === null : number === value;
  }

  #isSameOther(row: number, value: Value): boolean {
    if (this.#kind === KIND.plain) return this.#values[row] === value;
    if (this.#kind !== KIND.time || typeof value !== 'string') return this.at(row) === value;
    return this.#number(row) === timeCode(value);
  }

  at(row: number): Value {
    if (this.#kind === KIND.none) return null;
    if (this.#kind === KIND.plain) return this.#values[row] ?? null;
    if (this.#kind === KIND.big) {
      const value = this.#view.getBigInt64(this.#at + 8 * row);
      return value === NULL.big ? null : exactly(value);
    }
    const number = this.#number(row);
    if (number === undefined) return null;
    if (this.#kind === KIND.time) return timeText(number);
    return this.#kind === KIND.boolean ? number === 1 : number;
  }
}
