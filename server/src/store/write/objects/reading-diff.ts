// Compares a reading of a family of objects with what is remembered of the one before it, and keeps the new values as
// columns of numbers. Rows that came with the same bytes are told by the digest of them (monitored/wire-rows.ts), and
// nothing is made of them. Pure. Guards: objects of which anything is new are told apart by their whole key
// (object-finder.ts), never by a digest.

import type { TableLayout } from '../../layout/table-layout.ts';
import { type Digests, type ReadRow, type Value, valueIn } from '../../layout/types.ts';
import { ColumnBuffer, type ColumnReader, followingColumns } from './column-buffer.ts';
import { ObjectFinder, type Readers, readersOf } from './object-finder.ts';
import {
  keyOf,
  keyValue,
  labelsDigest,
  labelsOf,
  Names,
  NO_LABELS,
  nameOf,
  type ObjectRef,
  plainValue,
} from './object-names.ts';

/** The newest reading. */
export interface Objects {
  readonly count: number;
  readonly columns: ColumnBuffer;
  readonly names: Names;
  /** Of the bytes of each, where they are known. */
  readonly digests?: Digests | undefined;
}

/** The rows of a reading, each with the digest of its bytes where that is known. */
export interface Rows {
  readonly rows: readonly ReadRow[];
  readonly digests?: Digests | undefined;
}

/** Every row came with the same bytes as before, in the same order: nothing has to be looked at. */
function isAsBefore(before: Objects | undefined, digests: Digests | undefined): boolean {
  const known = before?.digests;
  if (!before || !known || !digests) return false;
  if (known.length !== before.count || digests.length !== known.length) return false;
  // What has no digest is no number, and so unlike any.
  for (let at = 0; at < known.length; at += 1) if (known[at] !== digests[at]) return false;
  return true;
}

/**
 * The ids that a replay has brought for objects whose names do not wait for them: told by their whole key, and left out where the
 * dictionary has other labels, so that it is told of these when they are mentioned next.
 */
export function learnIds(layout: TableLayout, objects: Objects, answered: readonly ObjectRef[]): void {
  const { names } = objects;
  const unnamed = names.unnamed;
  if (unnamed.length === 0) return;
  const byKey = new Map(answered.map((ref) => [ref.key, ref]));
  const { keys, labels } = readersOf(layout, objects);
  for (const index of unnamed) {
    const row = Object.fromEntries(layout.keys.map(({ name }, column) => [name, keys[column]?.at(index)]));
    const ref = byKey.get(keyOf(row, layout));
    if (ref?.id === undefined) continue;
    if (labels?.isSame(index, labelsDigest(JSON.parse(ref.labelsJson), layout))) names.give(index, ref.id);
  }
}

/** The same list where every row is kept, as nearly always. */
function keptOf(digests: Digests | undefined, kept: readonly number[], rows: number): Digests | undefined {
  if (!digests || (kept.length === rows && digests.length === rows)) return digests;
  return Float64Array.from(kept, (at) => digests[at] ?? Number.NaN);
}

/** What `rows` say beside `before`. Whatever waited for an id is known by its new place from here on. */
export class ReadingDiff {
  /** One for each object, in their order. */
  readonly rows: readonly ReadRow[];
  /** Every one of them came with the same bytes as before, in the same order. */
  readonly isSameBytes: boolean;
  readonly isSameOrder: boolean;
  /** Where each was before; -1: nowhere. Nothing, where all are where they were. */
  readonly #from: readonly number[] | undefined;
  /** Objects of before that are not here. */
  readonly gone: readonly ObjectRef[];
  readonly #layout: TableLayout;
  readonly #before: Objects | undefined;
  readonly #names: Names;
  #readers: Readers | undefined;
  /** Of the labels. */
  readonly #digests: readonly number[];
  /** Of the bytes, of those that are kept. */
  readonly #bytes: Digests | undefined;
  /** Names that were made or wait, by index. */
  readonly #refs: Map<number, ObjectRef>;
  #isRelabelled = false;
  /** Objects of before that are gone or have other labels, by the digest of those they had. */
  #left: Map<number, number> | undefined;

  constructor(layout: TableLayout, before: Objects | undefined, { rows, digests }: Rows) {
    this.#layout = layout;
    this.#before = before;
    this.#names = before?.names ?? new Names();
    this.isSameBytes = isAsBefore(before, digests);
    if (this.isSameBytes) {
      this.rows = rows;
      this.isSameOrder = true;
      this.gone = [];
      this.#digests = [];
      this.#bytes = before?.digests;
      this.#refs = this.#names.waiting;
      return;
    }
    const finder = new ObjectFinder(layout, before, this.#readersOfBefore);
    const kept: ReadRow[] = [];
    const from: number[] = [];
    const places: number[] = [];
    for (const [at, row] of rows.entries()) {
      const index = finder.find(row, digests?.[at]);
      if (index === undefined) continue;
      kept.push(row);
      from.push(index);
      places.push(at);
    }
    this.rows = kept;
    this.#from = from;
    this.#bytes = keptOf(digests, places, rows.length);
    this.isSameOrder = from.length === before?.count && from.every((index, now) => index === now);
    this.gone = this.#namesOf(finder.gone);
    if (!this.isSameOrder) this.#names.move(from);
    this.#refs = this.#names.waiting;
    const labels = this.#readersOfBefore?.labels;
    this.#digests = kept.map((row, index) => {
      const known = this.isSame(index) ? labels?.at(from[index] ?? 0) : undefined;
      return typeof known === 'number' ? known : labelsDigest(row, layout);
    });
    this.#relabel(from, labels);
  }

  /** What is remembered is opened once. */
  get #readersOfBefore(): Readers | undefined {
    if (this.#before) this.#readers ??= readersOf(this.#layout, this.#before);
    return this.#readers;
  }

  /** The values of before, in the order of the layout's. */
  get values(): readonly ColumnReader[] {
    return this.#readersOfBefore?.values ?? [];
  }

  /** Where the object was before; -1: nowhere. */
  from(index: number): number {
    return this.#from ? (this.#from[index] ?? -1) : index;
  }

  /** The row came with the same bytes as before. */
  isSame(index: number): boolean {
    if (this.isSameBytes) return true;
    const digest = this.#bytes?.[index];
    return digest !== undefined && this.#before?.digests?.[this.from(index)] === digest;
  }

  /** Another object of before that had the labels of this one, and has them no longer; -1: none. */
  namesake(index: number): number {
    const labels = this.#readersOfBefore?.labels;
    const digest = this.#digests[index];
    if (!labels || digest === undefined) return -1;
    const old = this.from(index);
    if (old >= 0 && labels.isSame(old, digest)) return -1;
    this.#left ??= this.#leftLabels(labels);
    return this.#left.get(digest) ?? -1;
  }

  #leftLabels(labels: ColumnReader): Map<number, number> {
    const kept = new Set<number>();
    for (const [index, digest] of this.#digests.entries()) {
      const old = this.from(index);
      if (old >= 0 && labels.isSame(old, digest)) kept.add(old);
    }
    const left = new Map<number, number>();
    for (let old = 0; old < (this.#before?.count ?? 0); old += 1)
      if (!kept.has(old)) left.set(Number(labels.at(old)), old);
    return left;
  }

  #namesOf(gone: readonly number[]): ObjectRef[] {
    const { waiting } = this.#names;
    if (gone.length === 0) return [];
    const keys = this.#readersOfBefore?.keys ?? [];
    return gone.map((index) => {
      const known = waiting.get(index);
      if (known) return known;
      const row = Object.fromEntries(
        this.#layout.keys.map(({ name }, column) => [name, keys[column]?.at(index)]),
      );
      const named = { ...nameOf(row, this.#layout), labelsJson: NO_LABELS };
      return { ...named, id: this.#names.idOf(index), dirty: false };
    });
  }

  /** The dictionary is told of labels that are others than before when the object is mentioned next. */
  #relabel(from: readonly number[], labels: ColumnReader | undefined): void {
    if (!labels) return;
    for (const [index, old] of from.entries()) {
      if (old < 0 || labels.isSame(old, this.#digests[index] ?? 0)) continue;
      this.#isRelabelled = true;
      const ref = this.ref(index);
      ref.labelsJson = labelsOf(this.rows[index] ?? {}, this.#layout);
      ref.dirty = true;
      this.#names.await(ref, index);
    }
  }

  /** The name of an object; the same one until the dictionary has answered. */
  ref(index: number): ObjectRef {
    const known = this.#refs.get(index);
    if (known) return known;
    const id = this.#names.idOf(index);
    const ref = { ...nameOf(this.rows[index] ?? {}, this.#layout), id, dirty: false, home: this.#names };
    this.#refs.set(index, ref);
    if (id === undefined) this.#names.await(ref, index);
    return ref;
  }

  /** What is remembered from now on; `isUnchanged`: all values are as they were. */
  objects(isUnchanged: boolean): Objects {
    const known = { names: this.#names, digests: this.#bytes };
    const isSame = this.isSameBytes || (isUnchanged && this.isSameOrder && !this.#isRelabelled);
    if (this.#before && isSame) return { ...this.#before, ...known };
    const count = this.rows.length;
    return { count, columns: this.#columns(count), ...known };
  }

  #columns(count: number): ColumnBuffer {
    const { keys, values } = this.#layout;
    const readers = this.#readersOfBefore;
    if (readers && this.#bytes) {
      const from = this.rows.map((_, index) => (this.isSame(index) ? this.from(index) : -1));
      const value = (row: number, column: number) => this.#value(row, column);
      return followingColumns(readers.all, { count, from, isInPlace: this.isSameOrder, value });
    }
    const columns = [
      ...keys.map(({ name }) => this.rows.map((row) => keyValue(valueIn(row, name)))),
      this.#digests,
      ...values.map(({ name }) => this.rows.map((row) => plainValue(valueIn(row, name)))),
    ];
    return new ColumnBuffer(columns, count);
  }

  #value(index: number, column: number): Value {
    const { keys, values } = this.#layout;
    const row = this.rows[index] ?? {};
    const key = keys[column];
    if (key) return keyValue(valueIn(row, key.name));
    if (column === keys.length) return this.#digests[index] ?? 0;
    return plainValue(valueIn(row, values[column - keys.length - 1]?.name ?? ''));
  }
}
