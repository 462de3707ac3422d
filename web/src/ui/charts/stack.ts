// Series on top of each other, as areas. Pure. Guards: a gap of all is a gap; who is not known in a bucket in which others
// are adds nothing to it.
import { bucketX, type ChartSeries, type Frame, LEAST_PX, type Level, round, runs, yOf } from './series.ts';

/** The same series, each from the top of the one before to its own; those that are lines stay what they are. */
export function stacked(series: readonly ChartSeries[]): ChartSeries[] {
  const areas = series.filter(({ isLine }) => !isLine);
  const count = areas[0]?.values.length ?? 0;
  const top: (number | null)[] = Array.from({ length: count }, (_none, bucket) =>
    areas.some(({ values }) => (values[bucket] ?? null) !== null) ? 0 : null,
  );
  return series.map((one) => {
    if (one.isLine) return one;
    const lower = [...top];
    for (const [bucket, below] of lower.entries())
      if (below !== null) top[bucket] = below + Math.max(0, one.values[bucket] ?? 0);
    return { ...one, lower, values: [...top] };
  });
}

/** The upper edge of an area, left out where it has no height: it would be drawn over the edge of the one below. */
export function outline({ lower, values }: ChartSeries): readonly (number | null)[] {
  if (lower === undefined) return values;
  const isFlat = (bucket: number) => (values[bucket] ?? null) === (lower[bucket] ?? null);
  return values.map((value, bucket) =>
    isFlat(bucket) && isFlat(bucket - 1) && isFlat(bucket + 1) ? null : value,
  );
}

/** The area between the two, each measured run by itself; a run of one bucket is as long as the bucket. */
export function areaPath({ lower = [], values }: ChartSeries, frame: Frame): string {
  const half = Math.max(LEAST_PX / 2, frame.width / frame.grid.buckets / 2);
  const isThere = (bucket: number) => (values[bucket] ?? null) !== null;
  const y = (all: readonly (number | null)[], bucket: number) => yOf(frame, all[bucket] ?? 0);
  return runs(values.length, isThere)
    .map(([first, last]) => {
      if (first === last) {
        const x = bucketX(frame, first);
        const [left, right] = [round(x - half), round(x + half)];
        return `M${left} ${y(values, first)}H${right}V${y(lower, first)}H${left}Z`;
      }
      const buckets = Array.from({ length: last - first + 1 }, (_none, index) => first + index);
      const there = buckets.map((bucket) => `${bucketX(frame, bucket)} ${y(values, bucket)}`);
      const back = buckets.toReversed().map((bucket) => `${bucketX(frame, bucket)} ${y(lower, bucket)}`);
      return `M${[...there, ...back].join('L')}Z`;
    })
    .join('');
}

/** A level so far above the values would press them flat: it is named in the legend and not drawn. */
const MOST_ABOVE = 4;

export const isDrawn = ({ value }: Level, largest: number): boolean =>
  value <= Math.max(1, largest) * MOST_ABOVE;
