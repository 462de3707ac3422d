// Rows of an answer as they came over the wire, for answers of which most rows say what they said before: whoever asked
// compares the bytes by a digest, and makes values only of what is new. Pure. Guards: the bytes were framed and checked
// before (wire-messages.ts), so that reading a cell never leaves its row.
import { randomInt } from 'node:crypto';
import { exactTypes } from './values.ts';
import { cellReader, int32At, RepeatedText } from './wire-cells.ts';

/** What the driver tells of a column. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

const MOST = 2 ** 31;
/** Answers with different columns, of all sessions together; a few hundred are usual. */
const MOST_SHARED = 2000;
/** Of this process alone, so that no server can make two rows alike. */
const SEEDS: readonly [number, number] = [randomInt(MOST), randomInt(MOST)];

/** Columns of an answer. */
export class WireFields {
  static readonly #shared = new Map<string, WireFields>();

  /** The same for the same columns: hundreds of sessions ask the same statements. `encoding`: of the session's database. */
  static of(fields: readonly Field[], encoding = 'UTF8'): WireFields {
    const told = JSON.stringify([encoding, fields.map(({ name, dataTypeID }) => [name, dataTypeID])]);
    const known = WireFields.#shared.get(told);
    if (known) return known;
    const own = fields.map(({ name, dataTypeID }) => ({ name, dataTypeID }));
    const made = new WireFields(own, encoding);
    // Whoever has one of them keeps it.
    if (WireFields.#shared.size >= MOST_SHARED) WireFields.#shared.clear();
    WireFields.#shared.set(told, made);
    return made;
  }

  readonly #fields: readonly Field[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #readers: readonly ReturnType<typeof cellReader>[];
  readonly #repeated: readonly RepeatedText[];
  /** What every digest begins with: the same bytes under other columns are other rows. */
  readonly seeds: readonly [number, number];

  constructor(fields: readonly Field[], encoding = 'UTF8') {
    this.#fields = fields;
    this.#indexes = new Map(fields.map(({ name }, index) => [name, index]));
    this.#readers = fields.map(({ dataTypeID }) => cellReader(dataTypeID));
    this.#repeated = fields.map(
      ({ dataTypeID }) => new RepeatedText(exactTypes.getTypeParser(dataTypeID), encoding),
    );
    const told = Buffer.from(JSON.stringify(fields.map(({ name, dataTypeID }) => [name, dataTypeID])));
    this.seeds = mixed(told, { from: 0, to: told.length, seeds: SEEDS });
  }

  get count(): number {
    return this.#fields.length;
  }
  indexOf(name: string): number {
    return this.#indexes.get(name) ?? -1;
  }
  nameOf(index: number): string {
    return this.#fields[index]?.name ?? '';
  }
  /** The value of the cell whose length stands there; throws where its text is none of that type. */
  read(index: number, buffer: Buffer, at: number): unknown {
    const length = int32At(buffer, at);
    if (length < 0) return null;
    const from = at + 4;
    const to = from + length;
    const value = this.#readers[index]?.(buffer, from, to);
    return value === undefined ? this.#repeated[index]?.read(buffer, from, to) : value;
  }
}

/** Where the cells of a row lie, behind their count. */
export interface RowSpan {
  readonly buffer: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Two numbers of 32 bits; four bytes a step, since it runs over everything that is read. */
function mixed(
  bytes: Buffer,
  { from, to, seeds }: { from: number; to: number; seeds: readonly [number, number] },
): [number, number] {
  let [a, b] = seeds;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    a = Math.imul(a ^ word, 0x85ebca77);
    a ^= a >>> 15;
    b = Math.imul((b + word) | 0, 0xc2b2ae3d);
    b = (b << 13) | (b >>> 19);
  }
  for (; at < to; at += 1) {
    a = Math.imul(a ^ (bytes[at] ?? 0), 0x27d4eb2f);
    a ^= a >>> 15;
    b = Math.imul((b + (bytes[at] ?? 0)) | 0, 0x165667b1);
    b = (b << 13) | (b >>> 19);
  }
  return [a, b ^ (to - from)];
}

export class WireRow {
  readonly #fields: WireFields;
  readonly #span: RowSpan;

  constructor(fields: WireFields, span: RowSpan) {
    this.#fields = fields;
    this.#span = span;
  }

  /** On the wire. */
  get bytes(): number {
    return this.#span.to - this.#span.from;
  }

  /** 53 bits of all bytes and columns: a number that tells this row from others. */
  digest(): number {
    const { buffer, from, to } = this.#span;
    const [a, b] = mixed(buffer, { from, to, seeds: this.#fields.seeds });
    return (b >>> 0) + (a & 0x1fffff) * 2 ** 32;
  }

  /** One value, as in values.ts; undefined where there is no such column. */
  cell(name: string): unknown {
    const wanted = this.#fields.indexOf(name);
    if (wanted < 0) return undefined;
    const { buffer } = this.#span;
    let at = this.#span.from;
    for (let index = 0; index < wanted; index += 1) at += 4 + Math.max(0, int32At(buffer, at));
    return this.#fields.read(wanted, buffer, at);
  }

  /** Of which columns it is. */
  get fields(): WireFields {
    return this.#fields;
  }

  /** All values, in the order of the columns. */
  values(): unknown[] {
    const { buffer, from } = this.#span;
    const { count } = this.#fields;
    const values: unknown[] = [];
    let at = from;
    for (let index = 0; index < count; index += 1) {
      values.push(this.#fields.read(index, buffer, at));
      at += 4 + Math.max(0, int32At(buffer, at));
    }
    return values;
  }

  /** All values by name. */
  read(): Record<string, unknown> {
    return Object.fromEntries(this.values().map((value, index) => [this.#fields.nameOf(index), value]));
  }
}
