// What the server answers about metrics and events, made ready for charts. Pure. Guards: an answer for another window is
// not shown on the grid of this one.

import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { CoverageEntry } from '../../../api/types.ts';
import { everyText } from '../../../lib/time.ts';
import { COMPARISON_WORDS, type Comparison } from '../../../lib/time-window.ts';
import type { ChartEvent } from '../../../ui/charts/chart-page.tsx';
import { bucketWidth, type ChartSeries, type Grid, onGrid } from '../../../ui/charts/series.ts';
import { COVERAGE_STATES } from '../coverage/coverage-words.ts';
import { metricName } from './metric-names.ts';
import { type ClockOfPage, isFirstReading, nextReadingText } from './next-reading.ts';

type Answer = OperationTypes['queryMetrics']['result'];
export type Timeline = OperationTypes['listTimelineEvents']['result'];
export type MetricSeries = Extract<Answer[number], { metric: string; data: unknown[] }>;

const isSeries = (one: Answer[number]): one is MetricSeries =>
  typeof one.metric === 'string' && Array.isArray(one.data);

export function seriesOf(answer: Answer): MetricSeries[] {
  const all: readonly Answer[number][] = answer;
  return all.filter(isSeries);
}

/** Whether the points stand a bucket of this grid apart, as they do for the window that was asked for. */
export function fitsGrid(series: readonly MetricSeries[], grid: Grid): boolean {
  const [first, second] = series.find(({ data }) => data.length > 1)?.data ?? [];
  if (!first || !second) return true;
  const width = Date.parse(second.time) - Date.parse(first.time);
  return Math.abs(width - bucketWidth(grid)) <= 2;
}

export const hasValues = ({ data }: MetricSeries): boolean =>
  data.some(({ value, compared = null }) => value !== null || compared !== null);

/** The same series in another window, where one was asked for: after those of the window itself. */
export function comparedSeries(
  series: readonly MetricSeries[],
  { grid, compare }: { grid: Grid; compare: Comparison | undefined },
): ChartSeries[] {
  if (compare === undefined) return [];
  return series.flatMap(({ name, metric, data, description }, index) => {
    const points = data.map(({ time, compared = null }) => ({ time, value: compared }));
    const isKnown = points.some(({ value }) => value !== null);
    const then = COMPARISON_WORDS[compare];
    const what = {
      ...{ name: `${name}, ${then}`, label: `${metricName(metric, name)}, ${then}` },
      ...{ description, comparedTo: index },
    };
    return isKnown ? [{ ...what, values: onGrid(points, grid) }] : [];
  });
}

export const chartSeries = ({ name, metric, data, description }: MetricSeries, grid: Grid): ChartSeries => ({
  name,
  label: metricName(metric, name),
  values: onGrid(data, grid),
  description,
});

/** Others are no trouble by themselves. */
const WITH_SEVERITY: ReadonlySet<string> = new Set(['alert_fired', 'log_event']);

type TimelineEvent = Timeline['events'][number];

export const chartEvents = (
  { events }: Timeline,
  titleOf: (event: TimelineEvent) => string = ({ title }) => title,
): ChartEvent[] =>
  events.map((event) => ({
    id: event.id,
    at: Date.parse(event.occurred_at),
    title: titleOf(event),
    ...(WITH_SEVERITY.has(event.event_type) && { severity: event.severity }),
  }));

/** As far as these metrics are concerned: a reason belongs to what needs it, and to nothing beside it. */
function concerning(entry: CoverageEntry, metrics: readonly string[]): CoverageEntry {
  if (entry.status !== 'incomplete' || entry.lacking === undefined) return entry;
  const own = entry.lacking.filter((one) => one.metrics?.some((name) => metrics.includes(name)) ?? true);
  if (own.length === 0) return { ...entry, status: 'ok', reason: null };
  return { ...entry, reason: own.map(({ reason }) => reason).join(' ') };
}

interface ReasonOptions {
  metrics?: readonly string[];
  /** For when the next reading is. */
  clock?: ClockOfPage;
  /** For a card with room for few words. */
  isBrief?: boolean;
}

/**
 * Why a probe has nothing to show of these metrics, by what is worst of it; of one that is collected, how often, whether it found
 * rows, and by when it is read next.
 */
export function reasonOf(
  entries: readonly CoverageEntry[],
  probe: string,
  { metrics = [], clock, isBrief = false }: ReasonOptions = {},
): string | undefined {
  const own = entries.filter((entry) => entry.probe === probe).map((entry) => concerning(entry, metrics));
  const [worst] = own
    .filter(({ status }) => status !== 'ok')
    .sort((a, b) => COVERAGE_STATES[a.status].rank - COVERAGE_STATES[b.status].rank);
  const [first] = own;
  if (!worst && first) {
    const often = `It is read ${everyText(first.effective_interval_seconds)}`;
    const next = nextReadingText(entries, own, clock);
    if (own.every(({ row_count }) => row_count === 0))
      return `${often}, and there was no row when it was read last.`;
    if (clock && !isFirstReading(entries, own)) return `${often}.${next}`;
    return isBrief ? `Needs two readings.${next}` : `${often}; an increase needs two readings.${next}`;
  }
  if (!worst) return undefined;
  const { label } = COVERAGE_STATES[worst.status];
  const place = worst.database_name ? ` in ${worst.database_name}` : '';
  return `${label}${place}${worst.reason ? `: ${worst.reason}` : '.'}`;
}
