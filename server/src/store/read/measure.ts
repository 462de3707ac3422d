// What was measured in one bucket of one database, and how it becomes a value. Pure. Guards: a mean and a rate are over
// the time that was measured; a bucket that nobody measured is null; databases are put together only after each has its
// own value.
import { type Combine, combined } from '../layout/combine.ts';

/** Of counters `sum` (the increase) and `rate` (a second); of gauges all but `rate`, where `sum` adds up the samples. */
export type Aggregate = 'avg' | 'min' | 'max' | 'sum' | 'last' | 'rate';

/** A window cut into buckets of equal width; milliseconds since the epoch. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
}

export class Measure {
  /** Seconds in which the value was known. */
  seconds = 0;
  /** Increase, or value × seconds. */
  total = 0;
  min = Infinity;
  max = -Infinity;
  last: number | null = null;
  /** Microseconds since the epoch of the sample that `last` is of. */
  lastAt = -Infinity;
  /** Of the samples taken within the bucket. */
  sum: number | null = null;

  lastIs(value: number | null, at: number): void {
    if (at >= this.lastAt) [this.last, this.lastAt] = [value, at];
  }

  extend(value: number | null, at: number): void {
    this.lastIs(value, at);
    if (value === null) return;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  add(total: number, seconds: number): void {
    this.total += total;
    this.seconds += seconds;
  }

  /** What was measured of the same elsewhere in the window. */
  include({ total, seconds, min, max, last, lastAt, sum }: Measure): void {
    this.add(total, seconds);
    this.min = Math.min(this.min, min);
    this.max = Math.max(this.max, max);
    this.lastIs(last, lastAt);
    if (sum !== null) this.sum = (this.sum ?? 0) + sum;
  }
}

/** Of all buckets together. */
export function wholeOf(measures: readonly Measure[]): Measure {
  const whole = new Measure();
  for (const one of measures) whole.include(one);
  return whole;
}

/** Buckets of each group of entities in one database. */
export class Measures {
  readonly groups = new Map<string, Measure[]>();
  readonly #buckets: number;
  #family: Measure[] | undefined;

  constructor(buckets: number) {
    this.#buckets = buckets;
  }

  /** Of a family of objects: the time in which its counters were measured, whichever of them grew. */
  get family(): Measure[] {
    this.#family ??= this.#row();
    return this.#family;
  }

  #row(): Measure[] {
    const row: Measure[] = [];
    for (let bucket = 0; bucket < this.#buckets; bucket += 1) row.push(new Measure());
    return row;
  }

  of(group: string): Measure[] {
    const own = this.groups.get(group);
    if (own) return own;
    const made = this.#row();
    this.groups.set(group, made);
    return made;
  }

  at(group: string, bucket: number): Measure {
    const found = this.of(group)[bucket];
    if (!found) throw new Error('no such bucket');
    return found;
  }
}

export interface Bucket {
  readonly value: number | null;
  /** Seconds that were measured. */
  readonly seconds: number;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);

export function finished(measure: Measure | undefined, aggregate: Aggregate, isCounter: boolean): Bucket {
  if (!measure) return { value: null, seconds: 0 };
  const { seconds, total, min, max, last, sum } = measure;
  const over = seconds > 0 ? total / seconds : null;
  if (isCounter) return { value: seconds <= 0 ? null : aggregate === 'rate' ? over : total, seconds };
  const values = { avg: over, rate: over, min: finite(min), max: finite(max), last, sum };
  return { value: values[aggregate], seconds };
}

/** What several databases say of the same bucket. */
export function together(buckets: readonly Bucket[], combine: Combine): Bucket {
  const seconds = buckets.reduce((most, one) => Math.max(most, one.seconds), 0);
  const values = buckets.map(({ value }) => value);
  return { value: combined(combine, values), seconds };
}
