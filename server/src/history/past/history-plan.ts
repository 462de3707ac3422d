// From what the past of a metric is read: samples while they are kept, rollups before, or rollups alone where there would be
// too many samples. Pure. Guards: what would take too long is not begun.

import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { columnsRead, isOfAll, measuredFor } from '../../probes/formula.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import {
  hasLastingKeys,
  isMadeLate,
  layoutOf,
  type TableLayout,
  type Tier,
  tiersOf,
} from '../../store/read/doors/buckets.ts';

/** Finer rollups are kept for two days only. */
const LEAST_TIER_SECONDS = 900;
/** A tier that is made once a day is over lacks the day so far and the hours until it was made; samples are read for them. */
const LATE_MS = 28 * HOUR_MS;
/** Widths of buckets that an hour is a whole number of. */
const PARTS_OF_AN_HOUR = [60, 120, 300, 600, 900, 1200, 1800, 3600];
/** Values of entities, of samples and of rollups; runs of which every row has to be looked at. */
const MOST_SAMPLES = 500_000;
const MOST_ROLLED = 1_000_000;
const MOST_RUNS = 100_000;

/** A part of a window that is read in one way; milliseconds since the epoch. */
export interface HistoryPart {
  readonly from: number;
  readonly to: number;
  readonly source: 'samples' | 'rollups';
  /** Between two values, in seconds. */
  readonly seconds: number;
}

export interface HistoryWindow {
  probe: Probe;
  metric: Metric;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  now: number;
  /** How long samples are certainly kept. */
  kept_days: number;
  interval_seconds: number;
  /** Nothing was read before. */
  known_since: number;
  connections: number;
  /** Entities that the metric has one value of, of all connections together. */
  entities: number;
}

const INCREASES = new Set(['increase', 'rate', 'ratio of increases']);

/** Whether its value is of the hour before. */
export const isOfAnHour = ({ value }: Metric): boolean => INCREASES.has(value.kind);

const ofRows = ({ value }: Metric) =>
  value.kind === 'rows' || value.kind === 'age' || (value.kind === 'gauge' && value.where !== undefined);

/** What is told of single entities that do not last, and what is made of rows, is not in rollups. */
const isInSamplesOnly = (layout: TableLayout, metric: Metric): boolean =>
  ofRows(metric) || (!isOfAll(metric) && layout.keys.length > 0 && !hasLastingKeys(layout));

const grid = (at: number, seconds: number) => Math.floor(at / 1000 / seconds) * seconds * 1000;

function rolled(
  layout: TableLayout,
  { from, to, now, interval_seconds, entities }: HistoryWindow,
  columns: number,
): HistoryPart | undefined {
  const values = (tier: Tier) => {
    const last = isMadeLate(layout, tier) ? Math.min(to, Math.max(from, now - LATE_MS)) : to;
    const [spans, runs] = [(last - from) / tier.seconds, (to - last) / interval_seconds];
    return (entities * columns * (spans + runs)) / 1000;
  };
  const tier = tiersOf(layout).find((one) => one.seconds >= LEAST_TIER_SECONDS && values(one) <= MOST_ROLLED);
  return tier && { from: grid(from, tier.seconds), to, source: 'rollups', seconds: tier.seconds };
}

/** In order of time; none: the probe keeps no samples. Undefined: there is too much of it. */
export function planHistory(wanted: HistoryWindow): HistoryPart[] | undefined {
  const { probe, from, to, now, kept_days, interval_seconds, known_since, connections, entities } = wanted;
  const layout = layoutOf(probe);
  if (!layout) return [];
  const metric = measuredFor(probe, wanted.metric);
  const seconds = isOfAnHour(metric)
    ? (PARTS_OF_AN_HOUR.find((one) => one >= interval_seconds) ?? HOUR_MS / 1000)
    : interval_seconds;
  const columns = Math.max(1, columnsRead(metric.value).length);
  // By the hour, so that rollups end where samples begin.
  const kept = Math.ceil((now - kept_days * DAY_MS) / HOUR_MS) * HOUR_MS;
  const since = Math.min(to, Math.max(from, kept));
  const runs = Math.max(0, to - Math.max(since, known_since)) / 1000 / seconds;
  const begin = isOfAnHour(metric) ? grid(since, seconds) : since;
  const samples: HistoryPart = { from: begin, to, source: 'samples', seconds };
  if (isInSamplesOnly(layout, metric)) return connections * runs <= MOST_RUNS ? [samples] : undefined;
  if (entities * columns * runs > MOST_SAMPLES) {
    const all = rolled(layout, wanted, columns);
    return all && [all];
  }
  if (since === from) return [samples];
  const before = rolled(layout, { ...wanted, to: since }, columns);
  return before && (since < to ? [before, samples] : [before]);
}
