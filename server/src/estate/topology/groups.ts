// Groups of numbers that grow together (union-find). Pure. The number that stands for a group is its smallest, so the
// order in which groups are joined never shows.
export class Groups {
  readonly #above = new Map<number, number>();

  /** The smallest number of the group. */
  of(one: number): number {
    let top = one;
    for (let next = this.#above.get(top); next !== undefined; next = this.#above.get(top)) top = next;
    for (let step = one; step !== top; ) {
      const next = this.#above.get(step) ?? top;
      this.#above.set(step, top);
      step = next;
    }
    return top;
  }

  join(one: number, other: number): void {
    const [a, b] = [this.of(one), this.of(other)];
    if (a !== b) this.#above.set(Math.max(a, b), Math.min(a, b));
  }
}

/** Items by what `key` says of them; items without a key are left out. */
export function groupBy<T, K>(items: Iterable<T>, key: (item: T) => K | null | undefined): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const of = key(item);
    if (of === null || of === undefined) continue;
    const group = groups.get(of);
    if (group) group.push(item);
    else groups.set(of, [item]);
  }
  return groups;
}

/** The item that comes first by `compare`; undefined of none. */
export function first<T>(items: Iterable<T>, compare: (a: T, b: T) => number): T | undefined {
  let best: T | undefined;
  for (const item of items) if (best === undefined || compare(item, best) < 0) best = item;
  return best;
}

/** The only item, or undefined when there are none or several. */
export const only = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined);
