// A block of lines as it is searched: columns of numbers over texts that are there once. Guards: what is not as line-block.ts writes it is an error;
// a text is cut out only for an event that is shown.
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Figures } from '../../logs/types.ts';
import { BLOCK_BYTES, NAMES, type NameField, SEPARATOR, TEXTS, type TextField } from './line-block.ts';
import type { EventRow } from './log-rows.ts';
import { findTerm, type Term } from './search-terms.ts';

/** A body that unpacks to more was not written here. */
const MOST_UNPACKED = 32 * BLOCK_BYTES;
const unpack = promisify(zstdDecompress);

/** Ids of lines are beyond those of events that are rows. */
const LINE_IDS = 500_000_000_000_000_000n;
const IDS_OF_A_BLOCK = 65_536n;

class Damaged extends Error {}

function numbers(value: unknown, length?: number): number[] {
  const isList = Array.isArray(value) && (length === undefined || value.length === length);
  if (!isList || !value.every((one) => Number.isSafeInteger(one)))
    throw new Damaged('A column of a block is damaged.');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Damaged('A text of a block is damaged.');
  return value;
}

/** Numbers of the texts of a column; `next` is shared by all columns over the same texts. */
function numbersOf(references: readonly number[], next: { number: number }): number[] {
  return references.map((reference) => {
    if (reference > 0) return reference - 1;
    next.number += 1;
    return next.number - 1;
  });
}

function summed(values: readonly number[], start: number): number[] {
  let sum = start;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

function columns<F extends string>(value: unknown, fields: readonly F[], length: number): Map<F, number[]> {
  const own: Record<string, unknown> = Object(value);
  const next = { number: 1 };
  return new Map(fields.map((field) => [field, numbersOf(numbers(own[field], length), next)]));
}

function figuresIn(value: unknown): Map<number, Figures> {
  if (!Array.isArray(value)) throw new Damaged('Figures of a block are damaged.');
  return new Map(
    value.map(([at, names, values]) => [
      Number(at),
      Object.fromEntries(
        text(names)
          .split(' ')
          .map((name, index) => [name, values[index] ?? null]),
      ),
    ]),
  );
}

export class UnpackedBlock {
  readonly id: number;
  readonly at: readonly number[];
  readonly #blocks: readonly number[];
  readonly #block: readonly number[];
  readonly #number: readonly number[];
  readonly #names: readonly string[];
  readonly #name: ReadonlyMap<NameField, readonly number[]>;
  readonly #joined: string;
  readonly #text: ReadonlyMap<TextField, readonly number[]>;
  readonly #figures: unknown;
  readonly #cut: ReadonlySet<number>;
  #texts: readonly string[] | undefined;
  #small: string | undefined;

  constructor(id: number, json: string) {
    const body: Record<string, unknown> = Object(JSON.parse(json));
    this.id = id;
    this.at = summed(numbers(body.at), 0);
    const { length } = this.at;
    this.#blocks = numbers(body.blocks);
    this.#block = numbers(body.block, length);
    this.#number = summed(numbers(body.number, length), -1);
    this.#names = text(body.names).split(SEPARATOR);
    this.#name = columns(body.name, NAMES, length);
    this.#joined = text(body.texts);
    this.#text = columns(body.text, TEXTS, length);
    this.#figures = body.figures;
    this.#cut = new Set(numbers(body.cut));
  }

  get length(): number {
    return this.at.length;
  }

  name(field: NameField, at: number): string {
    return this.#names[this.#name.get(field)?.[at] ?? 0] ?? '';
  }

  block(at: number): number {
    return this.#blocks[this.#block[at] ?? 0] || this.id;
  }

  number(at: number): number {
    return this.#number[at] ?? 0;
  }

  idOf(at: number): bigint {
    return LINE_IDS + BigInt(this.block(at)) * IDS_OF_A_BLOCK + BigInt(this.number(at));
  }

  /** Whether a field has one of some values, for each event. */
  having(field: NameField, values: readonly string[]): (at: number) => boolean {
    const wanted = new Set(values.map((value) => this.#names.indexOf(value)));
    const column = this.#name.get(field) ?? [];
    return (at) => wanted.has(column[at] ?? -1);
  }

  /** Whether one of its texts has the term, for each event. */
  saying(term: Term): (at: number) => boolean {
    this.#small ??= this.#joined.toLowerCase();
    const found = textsWith(this.#small, term);
    const fields = [...this.#text.values()];
    return (at) => fields.some((column) => found.has(column[at] ?? -1));
  }

  row(at: number): EventRow {
    const name = (field: NameField) => this.name(field, at);
    this.#texts ??= this.#joined.split(SEPARATOR);
    const texts = this.#texts;
    const said = (field: TextField) => texts[this.#text.get(field)?.[at] ?? 0] ?? '';
    return {
      occurred_at: this.at[at] ?? 0,
      class: name('class'),
      severity: name('severity'),
      sqlstate: name('sqlstate'),
      database_name: name('database_name'),
      user_name: name('user_name'),
      application_name: name('application_name'),
      process_id: name('process_id'),
      queryid: name('queryid'),
      message: said('message'),
      detail: said('detail'),
      hint: said('hint'),
      context: said('context'),
      statement: said('statement'),
      figures: this.#figuresAt(at),
      relation_name: null,
      is_cut: this.#cut.has(at),
    };
  }

  #known: Map<number, Figures> | undefined;

  #figuresAt(at: number): Figures {
    this.#known ??= figuresIn(this.#figures);
    return this.#known.get(at) ?? {};
  }
}

/** Numbers of the texts that have a term. */
function textsWith(joined: string, term: Term): Set<number> {
  const found = new Set<number>();
  let number = 0;
  let end = endOf(joined, 0);
  for (let at = findTerm(joined, term); at !== -1; ) {
    while (end < at) {
      number += 1;
      end = endOf(joined, end + 1);
    }
    found.add(number);
    // Once is enough for a text.
    at = findTerm(joined, term, end);
  }
  return found;
}

function endOf(joined: string, from: number): number {
  const end = joined.indexOf(SEPARATOR, from);
  return end === -1 ? joined.length : end;
}

/** Throws where the body is damaged. */
export async function unpackBlock(id: number, body: Buffer): Promise<UnpackedBlock> {
  const bytes = await unpack(body, { maxOutputLength: MOST_UNPACKED });
  return new UnpackedBlock(id, bytes.toString('utf8'));
}
