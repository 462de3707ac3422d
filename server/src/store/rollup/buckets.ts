// Spreads a value or an increase over the buckets of a rollup that its time covers, by the same rules as reading: a
// value stands for the time before it, an increase is spread evenly over its time, and a time longer than the gap rule
// allows is a gap. Pure.
import { gapSeconds } from '../layout/intervals.ts';

/** Buckets of equal width; moments in microseconds since the epoch. */
export interface Grid {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export interface Span {
  readonly since: number;
  readonly at: number;
}

/** Whether the span covers anything of the grid. */
export const touches = ({ from, to }: Grid, { since, at }: Span): boolean => at > from && since < to;

/** Calls back for each bucket that the span covers, with the seconds of it. */
export function cover(grid: Grid, span: Span, visit: (bucket: number, seconds: number) => void): void {
  const { from, to, width } = grid;
  const since = Math.max(span.since, from);
  const at = Math.min(span.at, to);
  if (at <= since) return;
  for (let n = Math.floor((since - from) / width); from + n * width < at; n += 1) {
    const overlap = Math.min(at, from + (n + 1) * width) - Math.max(since, from + n * width);
    if (overlap > 0) visit(n, overlap / 1e6);
  }
}

const bucketsOf = ({ from, to, width }: Grid): number => Math.round((to - from) / width);

/** One column of one entity in one bucket. */
export class Cell {
  /** Seconds in which the value was known. */
  seconds = 0;
  /** Increase, or value × seconds. */
  total = 0;
  min = Infinity;
  max = -Infinity;
  last: number | null = null;
  #lastAt = -Infinity;
  /** Of the values read within the bucket. */
  sum: number | null = null;

  add(value: number, seconds: number): void {
    this.total += value;
    this.seconds += seconds;
  }

  /** A gauge's value over `seconds`; `taken` when it was read within this bucket. */
  level(value: number | null, { at, seconds, taken }: { at: number; seconds: number; taken: boolean }): void {
    if (at >= this.#lastAt) {
      this.#lastAt = at;
      this.last = value;
    }
    if (value === null) return;
    this.add(value * seconds, seconds);
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    if (taken) this.sum = (this.sum ?? 0) + value;
  }
}

export interface Bucket {
  readonly runs: Set<number>;
  /** By entity ('' is all of them together), then by column as in the list of numbers; a column that is not there said nothing. */
  readonly cells: Map<string, (Cell | undefined)[]>;
}

/** Cells by bucket, made when first touched. */
export class Table {
  readonly buckets: Bucket[];
  readonly #columns: number;

  constructor(grid: Grid, columns: number) {
    this.#columns = columns;
    this.buckets = Array.from({ length: bucketsOf(grid) }, () => ({ runs: new Set(), cells: new Map() }));
  }

  cell(bucket: number, entity: string, column: number): Cell {
    const cells = this.buckets[bucket]?.cells;
    let own = cells?.get(entity);
    if (!own) {
      own = new Array<Cell | undefined>(this.#columns).fill(undefined);
      cells?.set(entity, own);
    }
    // Of thousands of objects with dozens of columns most say nothing of most of them.
    const found = own[column] ?? new Cell();
    own[column] = found;
    return found;
  }

  gauge(grid: Grid, span: Span, of: { entity: string; column: number; value: number | null }): void {
    cover(grid, span, (bucket, seconds) => {
      const taken = Math.ceil((span.at - grid.from) / grid.width) - 1 === bucket;
      this.cell(bucket, of.entity, of.column).level(of.value, { at: span.at, seconds, taken });
    });
  }

  increase(grid: Grid, span: Span, of: { entity: string; column: number; value: number }): void {
    const length = (span.at - span.since) / 1e6;
    cover(grid, span, (bucket, seconds) => {
      this.cell(bucket, of.entity, of.column).add((of.value * seconds) / length, seconds);
    });
  }

  run(grid: Grid, at: number): void {
    this.buckets[Math.ceil((at - grid.from) / grid.width) - 1]?.runs.add(at);
  }
}

/** The time that a gauge's value stands for. */
export function spanOfValue(at: number, before: number | undefined, intervalSeconds: number): Span {
  const interval = intervalSeconds * 1e6;
  return { since: Math.max(before ?? at - interval, at - gapSeconds(intervalSeconds) * 1e6), at };
}

export const isWithin = ({ since, at }: Span, intervalSeconds: number): boolean =>
  at > since && at - since <= gapSeconds(intervalSeconds) * 1e6;
