// Compares a reading of a family of objects with what is remembered of the one before it: matches each row to its
// object, and keeps the new values as columns of numbers. Pure. Guards: objects are told apart by their whole key,
// never by a digest; each object is taken once.

import type { TableLayout } from '../../layout/table-layout.ts';
import type { Row } from '../../layout/types.ts';
import { ColumnBuffer, type ColumnReader } from './column-buffer.ts';
import {
  keyText,
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
}

/** Finds the rows of a reading among the objects of the one before: mostly they come in the same order. */
class Finder {
  readonly #layout: TableLayout;
  readonly #count: number;
  readonly #keys: readonly ColumnReader[];
  readonly #taken: Uint8Array;
  readonly #fresh = new Set<string>();
  #byText: Map<string, number> | undefined;
  #next = 0;

  constructor(layout: TableLayout, before: Objects | undefined) {
    this.#layout = layout;
    this.#count = before?.count ?? 0;
    this.#keys = before ? readersOf(layout, before).keys : [];
    this.#taken = new Uint8Array(this.#count);
  }

  /** Where the object was; -1: nowhere; undefined: it was among these rows already. */
  find(row: Row): number | undefined {
    const next = this.#next;
    if (next < this.#count && this.#isAt(next, row)) return this.#take(next);
    const text = keyText(row, this.#layout);
    const index = this.#index().get(text);
    if (index !== undefined) return this.#take(index);
    if (this.#fresh.has(text)) return undefined;
    this.#fresh.add(text);
    return -1;
  }

  get gone(): number[] {
    return Array.from({ length: this.#count }, (_, index) => index).filter((index) => !this.#taken[index]);
  }

  #isAt(index: number, row: Row): boolean {
    return this.#layout.keys.every(({ name }, column) =>
      this.#keys[column]?.isSame(index, keyValue(row[name])),
    );
  }

  #take(index: number): number | undefined {
    if (this.#taken[index]) return undefined;
    this.#taken[index] = 1;
    this.#next = index + 1;
    return index;
  }

  #index(): Map<string, number> {
    this.#byText ??= new Map(
      Array.from({ length: this.#count }, (_, index) => [
        JSON.stringify(this.#keys.map((key) => key.at(index))),
        index,
      ]),
    );
    return this.#byText;
  }
}

interface Readers {
  readonly keys: readonly ColumnReader[];
  readonly labels: ColumnReader | undefined;
  readonly values: readonly ColumnReader[];
}

export function readersOf({ keys, values }: TableLayout, { columns }: Objects): Readers {
  const all = columns.readers(keys.length + 1 + values.length);
  return { keys: all.slice(0, keys.length), labels: all[keys.length], values: all.slice(keys.length + 1) };
}

/** What `rows` say beside `before`. Whatever waited for an id is known by its new place from here on. */
export class ReadingDiff {
  /** One for each object, in their order. */
  readonly rows: readonly Row[];
  /** Where each was before; -1: nowhere. */
  readonly from: readonly number[];
  /** Objects of before that are not here. */
  readonly gone: readonly ObjectRef[];
  readonly isSameOrder: boolean;
  readonly #layout: TableLayout;
  readonly #before: Objects | undefined;
  readonly #names: Names;
  readonly #digests: readonly number[];
  /** Names that were made or wait, by index. */
  readonly #refs: Map<number, ObjectRef>;
  #isRelabelled = false;

  constructor(layout: TableLayout, before: Objects | undefined, rows: readonly Row[]) {
    this.#layout = layout;
    this.#before = before;
    this.#names = before?.names ?? new Names();
    const finder = new Finder(layout, before);
    const kept: Row[] = [];
    const from: number[] = [];
    for (const row of rows) {
      const index = finder.find(row);
      if (index === undefined) continue;
      kept.push(row);
      from.push(index);
    }
    [this.rows, this.from] = [kept, from];
    this.isSameOrder = from.length === before?.count && from.every((index, now) => index === now);
    this.gone = this.#namesOf(finder.gone);
    if (!this.isSameOrder) this.#names.move(from);
    this.#refs = this.#names.waiting;
    this.#digests = kept.map((row) => labelsDigest(row, layout));
    this.#relabel();
  }

  #namesOf(gone: readonly number[]): ObjectRef[] {
    const { waiting } = this.#names;
    if (!this.#before || gone.length === 0) return [];
    const { keys } = readersOf(this.#layout, this.#before);
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
  #relabel(): void {
    if (!this.#before) return;
    const { labels } = readersOf(this.#layout, this.#before);
    for (const [index, old] of this.from.entries()) {
      if (old < 0 || labels?.isSame(old, this.#digests[index] ?? 0)) continue;
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
    if (this.#before && isUnchanged && this.isSameOrder && !this.#isRelabelled) return this.#before;
    const { keys, values } = this.#layout;
    const columns = [
      ...keys.map(({ name }) => this.rows.map((row) => keyValue(row[name]))),
      this.#digests,
      ...values.map(({ name }) => this.rows.map((row) => plainValue(row[name]))),
    ];
    const count = this.rows.length;
    return { count, columns: new ColumnBuffer(columns, count), names: this.#names };
  }
}
