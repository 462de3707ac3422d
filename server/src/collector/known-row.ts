// A row that the server sent before with the same bytes: its values are made only where somebody asks for one. Guards: it
// reads as any other row does, each declared column and nothing else.
import type { WireRow } from '../monitored/wire-rows.ts';
import type { Column } from '../probes/types.ts';
import type { Digests, Row } from '../store/layout/types.ts';

const NOTHING: Row = {};
const NONE: Digests = new Float64Array();

/** Values by the declaration. */
export interface RowReader {
  readonly columns: ReadonlyMap<string, Column>;
  value(column: Column, sent: WireRow): unknown;
}

class KnownRow implements ProxyHandler<Row> {
  readonly #sent: WireRow;
  readonly #reader: RowReader;

  constructor(sent: WireRow, reader: RowReader) {
    this.#sent = sent;
    this.#reader = reader;
  }

  get(_: Row, name: string | symbol): unknown {
    const column = typeof name === 'string' ? this.#reader.columns.get(name) : undefined;
    return column && this.#reader.value(column, this.#sent);
  }
  has(_: Row, name: string | symbol): boolean {
    return typeof name === 'string' && this.#reader.columns.has(name);
  }
  ownKeys(): string[] {
    return [...this.#reader.columns.keys()];
  }
  getOwnPropertyDescriptor(row: Row, name: string | symbol): PropertyDescriptor | undefined {
    if (!this.has(row, name)) return undefined;
    return { value: this.get(row, name), enumerable: true, configurable: true, writable: false };
  }
  set(): boolean {
    return false;
  }
}

export const knownRow = (sent: WireRow, reader: RowReader): Row =>
  new Proxy(NOTHING, new KnownRow(sent, reader));

/** Which rows the last answer held; mostly they come in the same order again. */
export class KnownRows {
  readonly #digests: Digests;
  #all: ReadonlySet<number> | undefined;
  #next = 0;

  constructor(digests: Digests = NONE) {
    this.#digests = digests;
  }

  has(digest: number): boolean {
    if (this.#digests[this.#next] === digest) {
      this.#next += 1;
      return true;
    }
    this.#next += 1;
    if (this.#digests.length === 0) return false;
    this.#all ??= new Set(this.#digests);
    return this.#all.has(digest);
  }
}
