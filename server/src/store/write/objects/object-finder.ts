// Finds the objects of a reading among those of the one before. Pure. Guards: objects of which anything is new are told apart
// by their whole key, never by a digest; each object is taken once.
import type { TableLayout } from '../../layout/table-layout.ts';
import { type Digests, type ReadRow, valueIn } from '../../layout/types.ts';
import type { ColumnBuffer, ColumnReader } from './column-buffer.ts';
import { keyText, keyValue } from './object-names.ts';

/** What is remembered of the newest reading, beside its columns. */
interface Before {
  readonly count: number;
  /** Of the bytes of each, where they are known. */
  readonly digests?: Digests | undefined;
}

/** One for each column of what is remembered. */
export interface Readers {
  readonly all: readonly ColumnReader[];
  readonly keys: readonly ColumnReader[];
  readonly labels: ColumnReader | undefined;
  readonly values: readonly ColumnReader[];
}

export function readersOf({ keys, values }: TableLayout, { columns }: { columns: ColumnBuffer }): Readers {
  const all = columns.readers(keys.length + 1 + values.length);
  const [labels, count] = [all[keys.length], keys.length];
  return { all, keys: all.slice(0, count), labels, values: all.slice(count + 1) };
}

/** Finds the rows of a reading among the objects of the one before: mostly they come in the same order. */
export class ObjectFinder {
  readonly #layout: TableLayout;
  readonly #count: number;
  readonly #keys: readonly ColumnReader[];
  readonly #taken: Uint8Array;
  readonly #fresh = new Set<string>();
  readonly #digests: Digests | undefined;
  #byText: Map<string, number> | undefined;
  #byDigest: Map<number, number> | undefined;
  #next = 0;

  constructor(layout: TableLayout, before: Before | undefined, readers: Readers | undefined) {
    this.#layout = layout;
    this.#count = before?.count ?? 0;
    this.#keys = readers?.keys ?? [];
    this.#taken = new Uint8Array(this.#count);
    this.#digests = before?.digests;
  }

  /** Where the object was; -1: nowhere; undefined: it was among these rows already. */
  find(row: ReadRow, digest: number | undefined): number | undefined {
    const next = this.#next;
    const same = this.#same(digest);
    if (same !== undefined) return this.#take(same);
    if (next < this.#count && this.#isAt(next, row)) return this.#take(next);
    const text = keyText(row, this.#layout);
    const index = this.#index().get(text);
    if (index !== undefined) return this.#take(index);
    if (this.#fresh.has(text)) return undefined;
    this.#fresh.add(text);
    return -1;
  }

  /** Where the same bytes were. */
  #same(digest: number | undefined): number | undefined {
    const digests = this.#digests;
    if (!digests || digest === undefined || Number.isNaN(digest)) return undefined;
    if (digests[this.#next] === digest) return this.#next;
    this.#byDigest ??= new Map(Array.from(digests, (known, index) => [known, index]));
    return this.#byDigest.get(digest);
  }

  get gone(): number[] {
    return Array.from({ length: this.#count }, (_, index) => index).filter((index) => !this.#taken[index]);
  }

  #isAt(index: number, row: ReadRow): boolean {
    return this.#layout.keys.every(({ name }, column) =>
      this.#keys[column]?.isSame(index, keyValue(valueIn(row, name))),
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
