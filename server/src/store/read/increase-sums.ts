// What counters of objects grew by, group by group and bucket by bucket: of thousands of objects over a month nothing is made
// for one of them, let alone for each of its columns, spans and ticks. Pure. Guards: a group is there once any tick or span told of it,
// even that it did not grow; nobody is counted whom nobody asked for; a few of many are found without
// looking at the others, and everything is looked at where that is less work.

/** Groups by number, in the order in which they were met. */
export class Numbered {
  readonly groups: string[] = [];
  readonly #known = new Map<string, number>();

  /** Undefined: it was not met. */
  find(group: string): number | undefined {
    return this.#known.get(group);
  }

  of(group: string): number {
    const known = this.#known.get(group);
    if (known !== undefined) return known;
    const made = this.groups.length;
    this.#known.set(group, made);
    this.groups.push(group);
    return made;
  }
}

const NONE = new Float64Array();

/** Which places of a list of ids count, and for which group (by number) each. */
export interface EntityPositions {
  readonly positions: Int32Array;
  readonly numbers: Int32Array;
}

type IdFilter = ReadonlySet<number> | undefined;

/** The groups of entities, looked up once for each of them, and once for each list of ids whatever its columns. */
export class Members {
  readonly numbered: Numbered;
  /** Ids that may have a group; undefined: any of them. */
  readonly wanted: IdFilter;
  readonly groupOf: (id: number) => string | undefined;
  readonly #byId = new Map<number, number>();
  readonly #lists = new WeakMap<readonly number[], EntityPositions>();

  /** `groupOf`: undefined: nobody asked for it. */
  constructor(numbered: Numbered, wanted: IdFilter, groupOf: (id: number) => string | undefined) {
    this.numbered = numbered;
    this.wanted = wanted;
    this.groupOf = groupOf;
  }

  #numberOf(id: number): number {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const group = this.groupOf(id);
    const number = group === undefined ? -1 : this.numbered.of(group);
    this.#byId.set(id, number);
    return number;
  }

  #placesOf(ids: readonly number[]): EntityPositions {
    const most = isFewOf(ids, this.wanted) ? this.wanted.size : ids.length;
    const [positions, numbers] = [new Int32Array(most), new Int32Array(most)];
    let count = 0;
    eachWanted(ids, this.wanted, (id, position) => {
      const number = this.#numberOf(id);
      if (number < 0) return;
      positions[count] = position;
      numbers[count] = number;
      count += 1;
    });
    return { positions: positions.subarray(0, count), numbers: numbers.subarray(0, count) };
  }

  /** Of a list that nobody changes. */
  in(ids: readonly number[]): EntityPositions {
    const known = this.#lists.get(ids) ?? this.#placesOf(ids);
    this.#lists.set(ids, known);
    return known;
  }
}

/** What each of a list of entities grew by: all together stand at the first place, single ones from the second on. */
export interface Sums {
  readonly all: number;
  readonly own: Float64Array;
}

export class IncreaseSums {
  readonly #numbered: Numbered;
  readonly #buckets: number;
  /** Group by group, bucket by bucket. */
  #totals = new Float64Array();
  #isThere = new Uint8Array();

  constructor(numbered: Numbered, buckets: number) {
    this.#numbered = numbered;
    this.#buckets = buckets;
  }

  #makeRoom(): void {
    const count = this.#numbered.groups.length;
    if (count <= this.#isThere.length) return;
    const [totals, isThere] = [this.#totals, this.#isThere];
    // There will be more of them.
    const length = Math.max(count, 2 * isThere.length);
    this.#totals = new Float64Array(length * this.#buckets);
    this.#totals.set(totals);
    this.#isThere = new Uint8Array(length);
    this.#isThere.set(isThere);
  }

  /** Adds a share of what is at each place to what its group grew by in a bucket. */
  add(
    { positions, numbers }: EntityPositions,
    valueAt: (position: number) => number,
    { bucket, share }: { bucket: number; share: number },
  ): void {
    this.#makeRoom();
    const [totals, isThere, buckets] = [this.#totals, this.#isThere, this.#buckets];
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      isThere[number] = 1;
      const at = number * buckets + bucket;
      totals[at] = (totals[at] ?? 0) + valueAt(positions[index] ?? 0) * share;
    }
  }

  /** As add(), of sums that were made already: nothing is called for each of thousands. */
  addSums(
    { positions, numbers }: EntityPositions,
    { all, own }: Sums,
    { bucket, share }: { bucket: number; share: number },
  ): void {
    this.#makeRoom();
    const [totals, isThere, buckets] = [this.#totals, this.#isThere, this.#buckets];
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      const position = positions[index] ?? 0;
      isThere[number] = 1;
      const at = number * buckets + bucket;
      totals[at] = (totals[at] ?? 0) + (position === 0 ? all : (own[position - 1] ?? 0)) * share;
    }
  }

  /** Calls back for each group that is there with what it grew by in the first bucket, for which nothing is made. */
  eachFirst(visit: (group: string, total: number) => void): void {
    for (const [number, group] of this.#numbered.groups.entries())
      if (this.#isThere[number] === 1) visit(group, this.#totals[number * this.#buckets] ?? 0);
  }

  /** What a group grew by, bucket by bucket; empty where it is not there. */
  totalsOf(group: string): Float64Array {
    const number = this.#numbered.find(group) ?? -1;
    if (this.#isThere[number] !== 1) return NONE;
    return this.#totals.subarray(number * this.#buckets, (number + 1) * this.#buckets);
  }

  /** Of the groups that are there. */
  names(): string[] {
    return this.#numbered.groups.filter((_group, number) => this.#isThere[number] === 1);
  }

  /** Calls back for each group that is there. */
  each(visit: (group: string, totals: Float64Array) => void): void {
    for (const [number, group] of this.#numbered.groups.entries())
      if (this.#isThere[number] === 1)
        visit(group, this.#totals.subarray(number * this.#buckets, (number + 1) * this.#buckets));
  }
}

type Find = (id: number) => number | undefined;

/** Of lists of ids, which nobody changes. */
const known = new WeakMap<readonly number[], Find>();

function isAscending(ids: readonly number[]): boolean {
  for (let position = 1; position < ids.length; position += 1)
    if ((ids[position - 1] ?? 0) >= (ids[position] ?? 0)) return false;
  return true;
}

/** By halves. */
function inOrder(ids: readonly number[], id: number): number | undefined {
  let [first, end] = [0, ids.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((ids[middle] ?? 0) < id) first = middle + 1;
    else end = middle;
  }
  return ids[first] === id ? first : undefined;
}

function finderOf(ids: readonly number[]): Find {
  // Those of packed hours and days and of spans are: nothing has to be made for each of thousands.
  if (isAscending(ids)) return (id) => inOrder(ids, id);
  const positions = new Map(ids.map((id, position) => [id, position]));
  return (id) => positions.get(id);
}

function findIn(ids: readonly number[]): Find {
  const found = known.get(ids) ?? finderOf(ids);
  known.set(ids, found);
  return found;
}

type IdSet = (Iterable<number> & { readonly size: number }) | undefined;

/** Whether so few are wanted that they are looked up one by one. */
const isFewOf = (ids: readonly number[], wanted: IdSet): wanted is Exclude<IdSet, undefined> =>
  wanted !== undefined && wanted.size * 4 <= ids.length;

/** Calls back for each of the ids that may be wanted, with where it stands; `wanted` undefined: any of them. */
export function eachWanted(
  ids: readonly number[],
  wanted: IdSet,
  visit: (id: number, position: number) => void,
): void {
  if (!isFewOf(ids, wanted)) {
    // As an index: of thousands of ids in each of hundreds of rows an iterator's pairs would be most of the work.
    for (let position = 0; position < ids.length; position += 1) visit(ids[position] ?? 0, position);
    return;
  }
  const find = findIn(ids);
  for (const id of wanted) {
    const position = find(id);
    if (position !== undefined) visit(id, position);
  }
}
