// What a collector remembers of the newest values of every object, column by column, in as few bytes as hold them
// exactly: there may be millions of objects on a thousand servers. Pure. Guards: what is read is what was put in, to
// the last digit; a column that fits no narrower form is kept as plain values.
import type { Value } from '../../layout/types.ts';
import { timeCode, timeText } from './time-code.ts';

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

function putColumn(
  view: DataView,
  { kind, at }: { kind: number; at: number },
  column: readonly Value[] | CopiedColumn,
): void {
  if (column instanceof CopiedColumn) column.put(view, at);
  else
    for (const [row, value] of column.entries())
      put(view, { kind, at: at + row * (WIDTHS[kind] ?? 0) }, value);
}

function exactly(value: bigint): Value {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : String(value);
}

/** Whether a value lies in a form that was chosen for others. */
function fits(kind: number, value: Value): boolean {
  if (value === null || kind === KIND.plain) return true;
  const found = foundOf(value);
  if (kind === KIND.big) return found === FOUND.integer || found === FOUND.big;
  if (kind === KIND.time) return found === FOUND.time;
  if (kind === KIND.boolean) return found === FOUND.boolean;
  if (kind === KIND.double) return found <= FOUND.fraction;
  if (found !== FOUND.integer || kind === KIND.none) return false;
  return integerKind(Math.min(0, Number(value)), Math.max(0, Number(value))) <= kind;
}

/** What the next reading is beside the one that a buffer holds. */
export interface Following {
  readonly count: number;
  /** Where a row was, if all of its values are as they were; -1: it has to be asked for. */
  readonly from: readonly number[];
  /** Nothing moved but those rows. */
  readonly isInPlace: boolean;
  value(row: number, column: number): Value;
}

/** A column that is mostly as it was: the bytes are copied, and only what changed is put anew. */
class CopiedColumn {
  readonly kind: number;
  readonly #reader: ColumnReader;
  readonly #next: Following;
  readonly #changed: ReadonlyMap<number, Value>;

  constructor(reader: ColumnReader, next: Following, changed: ReadonlyMap<number, Value>) {
    this.kind = reader.kind;
    this.#reader = reader;
    this.#next = next;
    this.#changed = changed;
  }

  /** For a kind that lies in bytes. */
  put(view: DataView, at: number): void {
    const { from, isInPlace } = this.#next;
    const width = WIDTHS[this.kind] ?? 0;
    const bytes = new Uint8Array(view.buffer);
    if (isInPlace) bytes.set(this.#reader.bytes(0, from.length), at);
    else
      for (const [row, old] of from.entries())
        if (old >= 0) bytes.set(this.#reader.bytes(old, 1), at + row * width);
    for (const [row, value] of this.#changed) put(view, { kind: this.kind, at: at + row * width }, value);
  }

  get values(): readonly Value[] {
    return this.#next.from.map((old, row) =>
      old < 0 ? (this.#changed.get(row) ?? null) : this.#reader.at(old),
    );
  }
}

/** The columns of the next reading; those whose form does not hold what is new are made from the values. */
export function followingColumns(before: ColumnBuffer, columns: number, next: Following): ColumnBuffer {
  const rows = [...next.from.keys()].filter((row) => (next.from[row] ?? -1) < 0);
  const made = before.readers(columns).map((reader, column) => {
    const changed = new Map(rows.map((row) => [row, next.value(row, column)]));
    const copied = new CopiedColumn(reader, next, changed);
    return [...changed.values()].every((value) => fits(reader.kind, value)) ? copied : copied.values;
  });
  return new ColumnBuffer(made, next.count);
}

const kindOfColumn = (column: readonly Value[] | CopiedColumn) =>
  column instanceof CopiedColumn ? column.kind : kindOf(column);

/** ColumnBuffer of one length. Never changed. */
export class ColumnBuffer {
  readonly count: number;
  readonly #view: DataView;
  /** ColumnBuffer that are kept as they are, in their order. */
  readonly #plain: readonly (readonly Value[])[];

  constructor(columns: readonly (readonly Value[] | CopiedColumn)[], count: number) {
    this.count = count;
    const kinds = columns.map(kindOfColumn);
    const bytes = kinds.reduce((sum, kind) => sum + (WIDTHS[kind] ?? 0) * count, kinds.length);
    this.#view = new DataView(new ArrayBuffer(bytes));
    let at = kinds.length;
    for (const [column, kind] of kinds.entries()) {
      this.#view.setUint8(column, kind);
      const width = WIDTHS[kind] ?? 0;
      if (width > 0) putColumn(this.#view, { kind, at }, columns[column] ?? []);
      at += width * count;
    }
    const plain = columns.filter((_, column) => kinds[column] === KIND.plain);
    this.#plain = plain.map((column) => (column instanceof CopiedColumn ? column.values : column));
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

  get kind(): number {
    return this.#kind;
  }

  /** As they lie, from a row on. */
  bytes(row: number, count: number): Uint8Array {
    const width = WIDTHS[this.#kind] ?? 0;
    return new Uint8Array(this.#view.buffer, this.#at + row * width, count * width);
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
