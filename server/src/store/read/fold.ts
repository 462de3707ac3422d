// From stored rows to what was measured in each bucket, group by group. Pure. Guards: samples, objects and rollups are
// folded by the rules of rollups (rollup/buckets.ts), so that whatever is read says the same: a value stands for the time
// before it, an increase is spread evenly over its time, and what is longer than the gap rule allows is a gap.

import { combined } from '../../probes/metrics.ts';
import type { Combine } from '../../probes/types.ts';
import type { Cell } from '../format/codec.ts';
import { type SampleRow, wasRead } from '../format/rows.ts';
import { cover, type Grid, isWithin, type Span, spanOfValue } from '../rollup/buckets.ts';
import type { Measures } from './measure.ts';

export interface FoldOptions {
  /** Microseconds since the epoch; `from` may lie behind the first bucket's begin: rollups tell what was before. */
  readonly grid: Grid;
  /** What is measured before this does not count. */
  readonly clip: number;
  /** When its server was added, in microseconds since the epoch: a first value says nothing of the time before. */
  readonly added: number;
  readonly combine: Combine;
  readonly isCounter: boolean;
  /** That decides about the hour in which that moment (microseconds since the epoch) lies, in seconds. */
  intervalAt(at: number): number;
  /** The interval never changed. */
  readonly isSteady: boolean;
  /** Told of each sample that counts, `at` in microseconds: of counters the increase and its seconds, of gauges the value. */
  heard?: ((group: string, at: number, said: { value: number; seconds: number }) => void) | undefined;
  /** Levels are told and not measured. */
  readonly isHeardOnly?: boolean;
}

/** Calls back for each bucket with the seconds of it that the span covers after the clip. */
function spread(
  { grid, clip }: FoldOptions,
  span: Span,
  visit: (bucket: number, seconds: number) => void,
): void {
  const last = Math.round((grid.to - grid.from) / grid.width) - 1;
  // Widths that are no whole number can end a hair before the window does.
  cover(grid, { since: Math.max(span.since, clip), at: span.at }, (bucket, seconds) =>
    visit(Math.min(bucket, last), seconds),
  );
}

const isTaken = ({ grid, clip }: FoldOptions, at: number, bucket: number) =>
  at > clip && at <= grid.to && Math.ceil((at - grid.from) / grid.width) - 1 === bucket;

/** A part of a span within one hour. */
interface Piece {
  since: number;
  until: number;
}

const HOUR = 3_600_000_000;
/** No interval is so long that a value stands for more. */
const LONGEST = 72 * HOUR;

/** The span as each hour judges it, since rollups are made hour by hour; `spanAt` answers it for an interval. */
function pieces(
  options: FoldOptions,
  { at, since: first }: Span,
  spanAt: (intervalSeconds: number) => Span | undefined,
): Piece[] {
  if (options.isSteady) {
    const span = spanAt(options.intervalAt(at));
    return span ? [{ since: span.since, until: at }] : [];
  }
  const found: Piece[] = [];
  let end = at;
  while (end > first) {
    const begin = (Math.ceil(end / HOUR) - 1) * HOUR;
    const span = spanAt(options.intervalAt(end));
    if (span && span.since < end) found.push({ since: Math.max(span.since, begin), until: end });
    end = begin;
  }
  return found;
}

interface Level {
  group: string;
  at: number;
  before: number | undefined;
  value: number | null;
}

export function level(into: Measures, options: FoldOptions, { group, at, before, value }: Level): void {
  if (value !== null) options.heard?.(group, at, { value, seconds: 0 });
  if (options.isHeardOnly) return;
  const born = before === undefined && options.added < at ? options.added : 0;
  const longest = { since: Math.max(before ?? born, at - LONGEST), at };
  for (const { since, until } of pieces(options, longest, (interval) => spanOfValue(at, before, interval)))
    spread(options, { since: Math.max(since, born), at: until }, (bucket, seconds) => {
      const measure = into.at(group, bucket);
      measure.extend(value, at);
      if (value === null) return;
      measure.add(value * seconds, seconds);
      if (until === at && isTaken(options, at, bucket)) measure.addSum(value);
    });
}

/** An increase spread over its time, as far as that is no gap. */
export function increase(
  options: FoldOptions,
  span: Span,
  visit: (bucket: number, seconds: number, share: number) => void,
): void {
  const length = (span.at - span.since) / 1e6;
  const whole = (interval: number) => (isWithin(span, interval) ? span : undefined);
  for (const { since, until } of pieces(
    options,
    { since: Math.max(span.since, span.at - LONGEST), at: span.at },
    whole,
  ))
    spread(options, { since, at: until }, (bucket, seconds) => visit(bucket, seconds, seconds / length));
}

export function hear(
  options: FoldOptions,
  { group, span, gain }: { group: string; span: Span; gain: number },
): void {
  if (options.heard && isWithin(span, options.intervalAt(span.at)))
    options.heard(group, span.at, { value: gain, seconds: (span.at - span.since) / 1e6 });
}

export const numberOf = (cell: Cell | undefined): number | null =>
  cell === null || cell === undefined ? null : Number(cell);

/** Exact also where the counter itself is beyond what a number holds. */
function increaseOf(before: Cell, now: Cell, wasReset: boolean): number | null {
  if (before === null || now === null) return null;
  if (typeof before === 'bigint' || typeof now === 'bigint') {
    const [a, b] = [BigInt(String(before)), BigInt(String(now))];
    return Number(wasReset || b < a ? b : b - a);
  }
  const [a, b] = [Number(before), Number(now)];
  return wasReset || b < a ? b : b - a;
}

/** Where the columns of a sample stand among its cells. */
export interface SampleColumns {
  readonly value: number;
  /** In place of the cell at `value`: what is made of several cells of a row. */
  readonly made?: ((row: SampleRow) => number | null) | undefined;
  readonly keys: readonly number[];
  readonly resets: readonly number[];
}

export interface SampleFold extends FoldOptions {
  readonly columns: SampleColumns;
  /** Undefined: nobody asked for it. */
  groupOf(row: SampleRow): string | undefined;
}

/** Rows of the same time, which follow each other. */
function* runsIn(rows: readonly SampleRow[]): Generator<readonly SampleRow[]> {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const at = rows[from]?.at;
    while (rows[to]?.at === at && to < rows.length) to += 1;
    yield rows.slice(from, to);
  }
}

const entityOf = (row: SampleRow, { keys }: SampleColumns) =>
  keys.map((position) => String(row.cells[position] ?? '\0')).join('\u0001');

const isOtherServer = (a: SampleRow, b: SampleRow) =>
  a.server_instance !== null && b.server_instance !== null && a.server_instance !== b.server_instance;

/** Counters of one entity: total and seconds by bucket. */
function gains(
  fold: SampleFold,
  rows: readonly SampleRow[],
  group: string,
): Map<number, [total: number, seconds: number]> {
  const found = new Map<number, [number, number]>();
  const { value, resets } = fold.columns;
  let before: SampleRow | undefined;
  for (const row of rows) {
    const old = before;
    before = row;
    // The reading before a birth did not have it: nothing is known of the time until then.
    if (!old || isOtherServer(old, row) || !wasRead(row)) continue;
    const span = { since: old.at, at: row.at };
    const wasReset = resets.some((position) => {
      const now = row.cells[position] ?? null;
      return now !== null && now !== (old.cells[position] ?? null);
    });
    const gain = increaseOf(old.cells[value] ?? null, row.cells[value] ?? null, wasReset);
    if (gain === null) continue;
    hear(fold, { group, span, gain });
    increase(fold, span, (bucket, seconds, share) => {
      const [total, known] = found.get(bucket) ?? [0, 0];
      found.set(bucket, [total + gain * share, known + seconds]);
    });
  }
  return found;
}

/** Samples of one database of a connection, in order of time. */
export function foldSamples(into: Measures, fold: SampleFold, rows: readonly SampleRow[]): void {
  for (const [group, own] of Map.groupBy(rows, (row) => fold.groupOf(row))) {
    if (group === undefined) continue;
    if (fold.isCounter) {
      const times = new Map<number, number>();
      for (const entity of Map.groupBy(own, (row) => entityOf(row, fold.columns)).values())
        for (const [bucket, [total, seconds]] of gains(fold, entity, group)) {
          into.at(group, bucket).total += total;
          times.set(bucket, Math.max(times.get(bucket) ?? 0, seconds));
        }
      // The time measured is that of the entity that was measured longest.
      for (const [bucket, seconds] of times) into.at(group, bucket).seconds += seconds;
      continue;
    }
    let before: number | undefined;
    const { made, value } = fold.columns;
    for (const run of runsIn(own.filter(wasRead))) {
      const at = run[0]?.at ?? 0;
      const values = run.map((row) => (made ? made(row) : numberOf(row.cells[value])));
      level(into, fold, { group, at, before, value: combined(fold.combine, values) });
      before = at;
    }
  }
}
