// Series of a chart: their grid, the lines that are drawn of them, and words for what is missing. Pure. Guards: a gap is
// never bridged by a line nor drawn as zero, and a lone value is still seen.
import { csvText } from '../../lib/csv.ts';
import type { Window } from '../../lib/time-window.ts';

export interface ChartSeries {
  /** As the server names it; what tells it apart in this chart. */
  name: string;
  /** As people call it; absent: its name says it. */
  label?: string | undefined;
  /** One value for each bucket of the grid; null: nobody measured. */
  values: readonly (number | null)[];
  /** What it means, in a sentence of the server. */
  description?: string | undefined;
  /** Where its area begins in each bucket, as `stack.ts` puts them on top of each other; absent: it is a line. */
  lower?: readonly (number | null)[];
  /** Stays a line where the others are put on top of each other. */
  isLine?: true;
  /** Place among the series of the one that this is of another window; absent: it is of the window that is shown. */
  comparedTo?: number;
  /** Its look in every chart, whatever else is drawn; absent: by its place among the series. */
  look?: number;
}

export const labelOf = ({ label, name }: Pick<ChartSeries, 'label' | 'name'>): string => label ?? name;

/** The same without the values of those that are not shown; none named: all are. */
export const shownAlone = (
  series: readonly ChartSeries[],
  only: readonly string[],
): readonly ChartSeries[] =>
  only.length === 0
    ? series
    : series.map((one) => (only.includes(one.name) ? one : { ...one, values: one.values.map(() => null) }));

/** Over what was measured of the window; null where nothing was. */
export function summaryOf(values: readonly (number | null)[]) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { least: null, mean: null, largest: null };
  const sum = known.reduce((all, one) => all + one, 0);
  return {
    least: known.reduce((least, one) => Math.min(least, one)),
    mean: sum / known.length,
    largest: known.reduce((most, one) => Math.max(most, one)),
  };
}

/** Times between two values in which nothing was measured. */
export function gapsOf(series: readonly ChartSeries[], grid: Grid): Window[] {
  const first = Array.from({ length: grid.buckets }, (_, bucket) => bucket).find((bucket) =>
    isMeasured(series, bucket),
  );
  const last = newestBucket(series, grid);
  if (first === undefined || last === undefined) return [];
  return runs(last, (bucket) => bucket > first && !isMeasured(series, bucket)).map(([one, other]) => ({
    from: bucketStart(grid, one),
    to: bucketStart(grid, other + 1),
  }));
}

/** Those of the window that is shown. */
export const ofWindow = (series: readonly ChartSeries[]): ChartSeries[] =>
  series.filter(({ comparedTo }) => comparedTo === undefined);

/** What the values are compared with: a line across the chart. */
export interface Level {
  /** "8 CPUs". */
  name: string;
  value: number;
}

/** Buckets of equal length over a window. */
export interface Grid extends Window {
  buckets: number;
}

export const bucketWidth = ({ from, to, buckets }: Grid): number => (to - from) / buckets;
export const bucketStart = (grid: Grid, bucket: number): number => grid.from + bucket * bucketWidth(grid);

/** Between which two moments the value of a bucket was measured: when in there is not known. */
export const bucketSpan = (grid: Grid, bucket: number): [number, number] => [
  bucketStart(grid, bucket),
  bucketStart(grid, bucket + 1),
];

/** The bucket that holds a moment; undefined outside of the window. */
export function bucketAt(grid: Grid, at: number): number | undefined {
  if (at < grid.from || at > grid.to) return undefined;
  return Math.min(grid.buckets - 1, Math.floor((at - grid.from) / bucketWidth(grid)));
}

/** The answer's points on the grid. What it leaves out at the end is not known. */
export function onGrid(
  points: readonly { time: string; value: number | null }[],
  grid: Grid,
): (number | null)[] {
  const values: (number | null)[] = Array(grid.buckets).fill(null);
  for (const { time, value } of points) {
    const bucket = Math.round((Date.parse(time) - grid.from) / bucketWidth(grid));
    if (bucket >= 0 && bucket < grid.buckets) values[bucket] = value;
  }
  return values;
}

/** The buckets of an answer may be other ones: what the grid shows is what the answer says of the middle of each of its own. */
export function ofGrid(
  values: readonly (number | null)[],
  answer: { start_time: string; bucket_seconds: number },
  grid: Grid,
): (number | null)[] {
  const [begin, width] = [Date.parse(answer.start_time), answer.bucket_seconds * 1000];
  return Array.from({ length: grid.buckets }, (_none, bucket) => {
    const middle = bucketStart(grid, bucket) + bucketWidth(grid) / 2;
    return values[Math.floor((middle - begin) / width)] ?? null;
  });
}

/** Runs of buckets, both ends included, for which this holds. */
export function runs(count: number, holds: (bucket: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let bucket = 0; bucket < count; bucket += 1) {
    if (!holds(bucket)) continue;
    const last = found.at(-1);
    if (last && last[1] === bucket - 1) last[1] = bucket;
    else found.push([bucket, bucket]);
  }
  return found;
}

export interface Frame {
  grid: Grid;
  /** The value at the top; 0 is at the bottom. */
  top: number;
  width: number;
  height: number;
}

export const round = (value: number) => Math.round(value * 100) / 100;

export const xOf = ({ grid, width }: Frame, at: number): number =>
  round(((at - grid.from) / (grid.to - grid.from)) * width);
export const yOf = ({ top, height }: Frame, value: number): number =>
  round(height - (Math.max(0, value) / top) * height);
/** The middle of a bucket. */
export const bucketX = ({ grid, width }: Frame, bucket: number): number =>
  round(((bucket + 0.5) / grid.buckets) * width);

/** A lone value has to be seen. */
export const LEAST_PX = 6;

/** The line of a series, each measured run by itself; a run of one bucket is as long as the bucket. */
export function linePath(values: readonly (number | null)[], frame: Frame): string {
  const half = Math.max(LEAST_PX / 2, frame.width / frame.grid.buckets / 2);
  const point = (bucket: number) => `${bucketX(frame, bucket)} ${yOf(frame, values[bucket] ?? 0)}`;
  return runs(values.length, (bucket) => values[bucket] !== null && values[bucket] !== undefined)
    .map(([first, last]) => {
      if (first === last) {
        const x = bucketX(frame, first);
        const y = yOf(frame, values[first] ?? 0);
        return `M${round(x - half)} ${y}H${round(x + half)}`;
      }
      return Array.from(
        { length: last - first + 1 },
        (_, at) => `${at ? 'L' : 'M'}${point(first + at)}`,
      ).join('');
    })
    .join('');
}

export const largestOf = (series: readonly ChartSeries[]): number =>
  series.reduce((most, { values }) => values.reduce<number>((all, one) => Math.max(all, one ?? 0), most), 0);

const isMeasured = (series: readonly ChartSeries[], bucket: number) =>
  series.some(({ values }) => (values[bucket] ?? null) !== null);

/** The newest bucket in which anything was measured. */
export function newestBucket(series: readonly ChartSeries[], { buckets }: Grid): number | undefined {
  for (let bucket = buckets - 1; bucket >= 0; bucket -= 1) if (isMeasured(series, bucket)) return bucket;
  return undefined;
}

/** The time before the first value, where something was measured later. */
export function beforeFirst(series: readonly ChartSeries[], grid: Grid): Window | undefined {
  const first = Array.from({ length: grid.buckets }, (_, bucket) => bucket).find((bucket) =>
    isMeasured(series, bucket),
  );
  return first ? { from: grid.from, to: bucketStart(grid, first) } : undefined;
}

/** What is missing between the first and the last value, and before it; undefined where nothing is. */
export function missingWords(
  series: readonly ChartSeries[],
  grid: Grid,
  moment: (at: number) => string,
): string | undefined {
  const last = newestBucket(series, grid);
  if (last === undefined) return undefined;
  const holes = runs(last, (bucket) => !isMeasured(series, bucket));
  const [first, ...others] = holes;
  const isLate = first !== undefined && first[0] === 0;
  const inner = isLate ? others : holes;
  const words: string[] = [];
  if (isLate) {
    words.push(`Not measured before ${moment(bucketStart(grid, first[1] + 1))}.`);
  }
  const longest = inner.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]))[0];
  if (longest) {
    const span = `from ${moment(bucketStart(grid, longest[0]))} to ${moment(bucketStart(grid, longest[1] + 1))}`;
    words.push(inner.length === 1 ? `Not measured ${span}.` : `${inner.length} gaps, the longest ${span}.`);
  }
  return words.length > 0 ? words.join(' ') : undefined;
}

/** Values as a table: the header, then one line for each bucket up to the newest value. */
export function tableOf(
  series: readonly ChartSeries[],
  grid: Grid,
): { from: number; to: number; values: (number | null)[] }[] {
  const last = newestBucket(series, grid) ?? -1;
  return Array.from({ length: last + 1 }, (_, bucket) => {
    const [from, to] = bucketSpan(grid, bucket);
    return { from, to, values: series.map(({ values }) => values[bucket] ?? null) };
  });
}

/** In UTC, with plain numbers; an empty cell is what nobody measured. */
export function csvOf(series: readonly ChartSeries[], grid: Grid, separator = ','): string {
  const head = ['from', 'to', ...series.map(({ name }) => name)];
  const lines = tableOf(series, grid).map(({ from, to, values }) => [
    ...[from, to].map((at) => new Date(Math.round(at)).toISOString()),
    ...values,
  ]);
  return csvText([head, ...lines], separator);
}
