// What a collector remembers of the newest values of every object, column by column, in as few bytes as hold them
// exactly: there may be millions of objects on a thousand servers. Pure. Guards: what is read is what was put in, to
// the last digit; a column that fits no narrower form is kept as plain values.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Value } from '../../layout/types.ts';
import { exactly, fits, KIND, kindOf, NULL, WIDTHS } from './column-kinds.ts';
import { timeCode, timeText } from './time-code.ts';

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
  /** Rows that are to be put anew, and the value of each. */
  readonly #rows: readonly number[];
  readonly #changed: readonly Value[];

  constructor(
    reader: ColumnReader,
    next: Following,
    anew: { rows: readonly number[]; values: readonly Value[] },
  ) {
    this.kind = reader.kind;
    this.#reader = reader;
    this.#next = next;
    this.#rows = anew.rows;
    this.#changed = anew.values;
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
    for (const [index, row] of this.#rows.entries())
      put(view, { kind: this.kind, at: at + row * width }, this.#changed[index] ?? null);
  }

  get values(): readonly Value[] {
    const values = this.#next.from.map((old) => (old < 0 ? null : this.#reader.at(old)));
    for (const [index, row] of this.#rows.entries()) values[row] = this.#changed[index] ?? null;
    return values;
  }
}

/** The columns of the next reading; those whose form does not hold what is new are made from the values. */
export function followingColumns(before: readonly ColumnReader[], next: Following): ColumnBuffer {
  const rows: number[] = [];
  for (const [row, old] of next.from.entries()) if (old < 0) rows.push(row);
  const made = before.map((reader, column) => {
    const values = rows.map((row) => next.value(row, column));
    const copied = new CopiedColumn(reader, next, { rows, values });
    return values.every((value) => fits(reader.kind, value)) ? copied : copied.values;
  });
  return new ColumnBuffer(made, next.count);
}

const kindOfColumn = (column: readonly Value[] | CopiedColumn) =>
  column instanceof CopiedColumn ? column.kind : kindOf(column);

/** Smaller ones would hardly become smaller still. */
const WORTH_PACKING_BYTES = 1024;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Columns of one length. Never changed. */
export class ColumnBuffer {
  readonly count: number;
  #open: DataView | undefined;
  #packed: Uint8Array | undefined;
  /** Columns that are kept as they are, in their order. */
  readonly #plain: readonly (readonly Value[])[];

  constructor(columns: readonly (readonly Value[] | CopiedColumn)[], count: number) {
    this.count = count;
    const kinds = columns.map(kindOfColumn);
    const bytes = kinds.reduce((sum, kind) => sum + (WIDTHS[kind] ?? 0) * count, kinds.length);
    const view = new DataView(new ArrayBuffer(bytes));
    let at = kinds.length;
    for (const [column, kind] of kinds.entries()) {
      view.setUint8(column, kind);
      const width = WIDTHS[kind] ?? 0;
      if (width > 0) putColumn(view, { kind, at }, columns[column] ?? []);
      at += width * count;
    }
    this.#open = view;
    const plain = columns.filter((_, column) => kinds[column] === KIND.plain);
    this.#plain = plain.map((column) => (column instanceof CopiedColumn ? column.values : column));
  }

  /** Takes about a third of its room until it is read again. */
  pack(leastBytes = WORTH_PACKING_BYTES): void {
    if (!this.#open || this.#open.byteLength < leastBytes) return;
    // A copy, since what is answered is a part of something larger.
    this.#packed ??= new Uint8Array(zstdCompressSync(new Uint8Array(this.#open.buffer), FAST));
    this.#open = undefined;
  }

  #view(): DataView {
    this.#open ??= new DataView(new Uint8Array(zstdDecompressSync(this.#packed ?? new Uint8Array())).buffer);
    return this.#open;
  }

  /** What it takes now, in bytes. */
  get bytes(): number {
    return (this.#open?.byteLength ?? 0) + (this.#packed?.length ?? 0);
  }

  /** One reader for each column, of so many. */
  readers(columns: number): ColumnReader[] {
    const view = this.#view();
    let at = columns;
    let plain = 0;
    return Array.from({ length: columns }, (_, column) => {
      const kind = view.getUint8(column);
      const values = kind === KIND.plain ? (this.#plain[plain] ?? []) : [];
      if (kind === KIND.plain) plain += 1;
      const reader = new ColumnReader({ view, kind, at, values });
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
