// What was measured in one bucket of one database, and how it becomes a value. Pure. Guards: a mean and a rate are over
// the time that was measured; a bucket that nobody measured is null; databases are put together only after each has its
// own value.
import type { Aggregate } from '../../probes/metric-types.ts';
import { combined } from '../../probes/metrics.ts';
import type { Combine } from '../../probes/types.ts';
import { IncreaseSums, type Numbered } from './increase-sums.ts';

/** A window cut into buckets of equal width; milliseconds since the epoch. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
}

/** What is known of a level beside its mean. */
class Level {
  min = Infinity;
  max = -Infinity;
  last: number | null = null;
  /** Microseconds since the epoch of the sample that `last` is of. */
  lastAt = -Infinity;
  /** Of the samples taken within the bucket. */
  sum: number | null = null;
}

const NO_LEVEL: Readonly<Level> = new Level();

export class Measure {
  /** Seconds in which the value was known. */
  seconds = 0;
  /** Increase, or value × seconds. */
  total = 0;
  /** Of counters there is none: thousands of objects have a measure of each of their columns. */
  #level: Level | undefined = undefined;

  get level(): Readonly<Level> {
    return this.#level ?? NO_LEVEL;
  }

  get #own(): Level {
    this.#level ??= new Level();
    return this.#level;
  }

  lastIs(value: number | null, at: number): void {
    const own = this.#own;
    if (at >= own.lastAt) [own.last, own.lastAt] = [value, at];
  }

  extend(value: number | null, at: number): void {
    this.lastIs(value, at);
    if (value !== null) this.reach(value, value);
  }

  reach(min: number, max: number): void {
    const own = this.#own;
    own.min = Math.min(own.min, min);
    own.max = Math.max(own.max, max);
  }

  addSum(sum: number): void {
    const own = this.#own;
    own.sum = (own.sum ?? 0) + sum;
  }

  add(total: number, seconds: number): void {
    this.total += total;
    this.seconds += seconds;
  }

  /** What was measured of the same elsewhere in the window. */
  include({ total, seconds, level }: Measure): void {
    this.add(total, seconds);
    if (level === NO_LEVEL) return;
    this.reach(level.min, level.max);
    this.lastIs(level.last, level.lastAt);
    if (level.sum !== null) this.addSum(level.sum);
  }
}

/** By bucket; undefined: nothing was measured in it. Of hundreds of databases most buckets would be objects that say nothing. */
export type OwnMeasures = readonly (Measure | undefined)[];

/** Of all buckets together. */
export function wholeOf(measures: OwnMeasures): Measure {
  const whole = new Measure();
  for (const one of measures) if (one) whole.include(one);
  return whole;
}

/** Buckets of each group of entities in one database. */
export class Measures {
  readonly #groups = new Map<string, (Measure | undefined)[]>();
  readonly #buckets: number;
  #family: Float64Array | undefined;
  #gains: IncreaseSums | undefined;
  /** What they say is among the groups already. */
  #isTold = false;

  constructor(buckets: number) {
    this.#buckets = buckets;
  }

  /** Of a family of objects: the seconds of each bucket in which its counters were measured, whichever of them grew. */
  get family(): Float64Array {
    this.#family ??= new Float64Array(this.#buckets);
    return this.#family;
  }

  /** Of counters of objects, of which each group was measured as long as its family. */
  gainsOf(numbered: Numbered): IncreaseSums {
    this.#gains ??= new IncreaseSums(numbered, this.#buckets);
    return this.#gains;
  }

  /** Undefined: no counter of objects was read. */
  get gains(): IncreaseSums | undefined {
    return this.#gains;
  }

  /** Of which something was counted; makes nothing for each of them. */
  names(): Iterable<string> {
    return this.#gains ? this.#gains.names() : this.#groups.keys();
  }

  /** Once everything is counted. */
  get groups(): ReadonlyMap<string, OwnMeasures> {
    if (this.#gains && !this.#isTold)
      this.#gains.each((group, totals) => {
        for (const [bucket, total] of totals.entries()) this.at(group, bucket).total += total;
      });
    this.#isTold = this.#gains !== undefined;
    return this.#groups;
  }

  #of(group: string): (Measure | undefined)[] {
    const own = this.#groups.get(group);
    if (own) return own;
    const made = new Array<Measure | undefined>(this.#buckets).fill(undefined);
    this.#groups.set(group, made);
    return made;
  }

  at(group: string, bucket: number): Measure {
    const own = this.#of(group);
    if (!(bucket >= 0 && bucket < own.length)) throw new Error('no such bucket');
    const known = own[bucket];
    if (known) return known;
    const made = new Measure();
    own[bucket] = made;
    return made;
  }
}

export interface Bucket {
  readonly value: number | null;
  /** Seconds that were measured. */
  readonly seconds: number;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

function levelOf({ level }: Measure, aggregate: Aggregate, mean: number | null): number | null {
  if (aggregate === 'avg' || aggregate === 'rate') return mean;
  return aggregate === 'min' || aggregate === 'max' ? finite(level[aggregate]) : level[aggregate];
}

export function finishedCounter(total: number, seconds: number, aggregate: Aggregate): Bucket {
  if (seconds <= 0) return { value: null, seconds };
  return { value: aggregate === 'rate' ? total / seconds : total, seconds };
}

export function finished(measure: Measure | undefined, aggregate: Aggregate, isCounter: boolean): Bucket {
  if (!measure) return { value: null, seconds: 0 };
  const { seconds, total } = measure;
  if (isCounter) return finishedCounter(total, seconds, aggregate);
  return { value: levelOf(measure, aggregate, seconds > 0 ? total / seconds : null), seconds };
}

/** What several databases say of the same bucket. */
export function together(buckets: readonly Bucket[], combine: Combine): Bucket {
  const [only] = buckets;
  if (only && buckets.length === 1) return only;
  const seconds = buckets.reduce((most, one) => Math.max(most, one.seconds), 0);
  const values = buckets.map(({ value }) => value);
  return { value: combined(combine, values), seconds };
}
