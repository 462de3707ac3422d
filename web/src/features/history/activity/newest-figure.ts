// The newest value of a metric, or of the sum of some, and its course over the window. Pure. Guards: what was not measured is null,
// never zero, and a figure says of which time it is.
import { bucketSpan, type Grid, onGrid } from '../../../ui/charts/series.ts';
import type { MetricSeries } from './answers.ts';

export interface NewestFigure {
  values: (number | null)[];
  unit: string;
  /** The newest value, and from when to when it is. */
  newest: { value: number; from: number; to: number } | undefined;
}

/** The sum of some metrics. A bucket counts where all of its metrics were measured. */
export function figureOf(
  found: readonly MetricSeries[],
  { metrics }: { metrics: readonly string[] },
  grid: Grid,
): NewestFigure {
  const own = found.filter(({ metric }) => metrics.includes(metric));
  const lines = own.map(({ data }) => onGrid(data, grid));
  const values = Array.from({ length: grid.buckets }, (_none, bucket) =>
    lines.reduce<number | null>(
      (sum, line) => {
        const value = line[bucket] ?? null;
        return sum === null || value === null ? null : sum + value;
      },
      lines.length === metrics.length ? 0 : null,
    ),
  );
  const last = values.findLastIndex((value) => value !== null);
  const value = values[last] ?? null;
  const [from, to] = bucketSpan(grid, Math.max(0, last));
  return { values, unit: own[0]?.unit ?? '', newest: value === null ? undefined : { value, from, to } };
}
