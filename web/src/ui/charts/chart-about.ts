// What a chart says of itself to the chat: of each series its newest, least and largest value with their times. Pure. Guards: what
// nobody measured is null, and of another window it is said that it is, without times: those of the chart are not its own.
import { iso } from '../../lib/units.ts';
import type { AboutQuestion } from '../ask-about.ts';
import type { ChartEvent } from './chart-page.tsx';
import { bucketSpan, type ChartSeries, type Grid, type Level } from './series.ts';

const MOST_SERIES = 20;
const MOST_EVENTS = 20;

interface Reading {
  /** The bucket that it is of. */
  from?: string;
  to?: string;
  value: number;
}

function readingsOf({ values, comparedTo }: ChartSeries, grid: Grid): Reading[] {
  return values.flatMap((value, bucket) => {
    if (value === null) return [];
    const [from, to] = bucketSpan(grid, bucket);
    return comparedTo === undefined ? [{ from: iso(from), to: iso(to), value }] : [{ value }];
  });
}

function factsOf(series: ChartSeries, grid: Grid) {
  const { name, description, comparedTo } = series;
  const readings = readingsOf(series, grid);
  const best = (isBetter: (a: number, b: number) => boolean) =>
    readings.reduce<Reading | null>(
      (found, one) => (found === null || isBetter(one.value, found.value) ? one : found),
      null,
    );
  return {
    metric: name,
    ...(description !== undefined && { meaning: description }),
    ...(comparedTo !== undefined && { of_another_window: true }),
    newest: readings.at(-1) ?? null,
    min: best((a, b) => a < b),
    max: best((a, b) => a > b),
    mean:
      readings.length === 0 ? null : readings.reduce((sum, { value }) => sum + value, 0) / readings.length,
    measured_buckets: readings.length,
  };
}

export interface Shown {
  title: string;
  unit: string;
  series: readonly ChartSeries[];
  grid: Grid;
  events: readonly ChartEvent[];
  level: Level | undefined;
}

/** The question that its button asks. */
export function aboutChart({ title, unit, series, grid, events, level }: Shown): AboutQuestion {
  const about = {
    ...{ kind: 'chart', title, unit },
    window: { start: iso(grid.from), end: iso(grid.to), buckets: grid.buckets },
    series: series.slice(0, MOST_SERIES).map((one) => factsOf(one, grid)),
    ...(series.length > MOST_SERIES && { series_left_out: series.length - MOST_SERIES }),
    ...(level && { compared_with: level }),
    ...(events.length > 0 && {
      events: events.slice(-MOST_EVENTS).map(({ at, title: what }) => ({ at: iso(at), what })),
    }),
  };
  return {
    message: `What does the chart “${title}” show in this time? Is it usual, and if not, what is behind it?`,
    about,
  };
}
