// Which rows the answer before held, by their digests; mostly they come in the same order again.
import type { Digests } from '../store/layout/types.ts';

const NO_DIGESTS: Digests = new Float64Array();

export class RowsBefore {
  readonly #digests: Digests;
  #all: ReadonlySet<number> | undefined;
  #next = 0;

  constructor(digests: Digests = NO_DIGESTS) {
    this.#digests = digests;
  }

  has(digest: number): boolean {
    const isNext = this.#digests[this.#next] === digest;
    this.#next += 1;
    if (isNext || this.#digests.length === 0) return isNext;
    this.#all ??= new Set(this.#digests);
    return this.#all.has(digest);
  }
}
