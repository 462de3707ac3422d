// Counts under names that come from the file. Guards: how many names are kept is bounded; the rest is one name.
const MOST_NAMES = 1000;
const REST = 'other';

export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    const known = this.#counts.get(name);
    if (known !== undefined) this.#counts.set(name, known + count);
    else if (this.#counts.size < MOST_NAMES)
      this.#counts.set(Buffer.from(name, 'utf8').toString('utf8'), count);
    else this.#counts.set(REST, (this.#counts.get(REST) ?? 0) + count);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** The most frequent first. */
  get entries(): [string, number][] {
    return [...this.#counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  }

  get object(): Record<string, number> {
    return Object.fromEntries(this.entries);
  }
}

/** Sums and the most of the numbers that a class takes from its events. */
export interface FigureSum {
  count: number;
  sum: number;
  most: number;
}

export function addFigures(
  sums: Map<string, FigureSum>,
  figures: Readonly<Record<string, number | null>>,
): void {
  for (const [name, value] of Object.entries(figures)) {
    if (value === null || Number.isNaN(value)) continue;
    const known = sums.get(name);
    if (known === undefined) sums.set(name, { count: 1, sum: value, most: value });
    else {
      known.count += 1;
      known.sum += value;
      known.most = Math.max(known.most, value);
    }
  }
}
