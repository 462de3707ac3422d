// Increases of the columns of a probe, and the ratios of them that summaries show. Guards: formulas come from the
// declarations of the metrics; a ratio of a summary has no least count below which it is unknown.

import type { Db } from '../../kernel/db.ts';
import { increaseRatio } from '../../probes/formula.ts';
import type { IncreaseRatio } from '../../probes/metric-types.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import { type MetricSeries, type MetricsQuery, metricBucketsOf } from '../../store/read/doors/buckets.ts';
import type { Grid } from './window.ts';

export function demandMetric(probe: Probe, name: string): Metric {
  const metric = metricOf(probe, name);
  if (!metric) throw new Error(`${probe.name} has no metric ${name}`);
  return metric;
}

/** A ratio of increases as a metric declares it. */
export function ratioOf(probe: Probe, name: string): Omit<IncreaseRatio, 'kind' | 'least'> {
  const { value } = demandMetric(probe, name);
  if (value.kind !== 'ratio of increases') throw new Error(`${probe.name}.${name} is no ratio of increases`);
  const { least: _shownWhateverTheCount, kind: _kind, ...ratio } = value;
  return ratio;
}

/** What was measured of one entity, such as a connection: by the names of metrics. */
export type Figures = ReadonlyMap<string, Pick<MetricSeries, 'values' | 'whole'>>;

/** Of each series: those of the same connection and group are together. */
export interface Figured {
  connection_id: number;
  group: MetricSeries['group'];
  figures: Figures;
  /** In the second window; empty without one. */
  compared: Figures;
}

export interface IncreasesRequest {
  probe: Probe;
  /** By name. */
  metrics: readonly string[];
  connection_ids: readonly number[];
  grid: Grid;
  where?: MetricsQuery['where'];
  group_by?: readonly string[];
  aggregate?: MetricsQuery['aggregate'];
}

const queryOf = ({
  probe,
  metrics,
  connection_ids,
  grid,
  where = {},
  group_by = [],
  aggregate = 'sum',
}: IncreasesRequest) => ({
  probe,
  metrics: metrics.map((name) => demandMetric(probe, name)),
  connection_ids,
  aggregate,
  where,
  group_by,
  ...grid,
});

function figured(series: readonly MetricSeries[]): Figured[] {
  const own = Map.groupBy(series, ({ connection_id, group }) =>
    JSON.stringify([connection_id, Object.values(group)]),
  );
  return [...own.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const { connection_id, group } = first;
    const figures = new Map(all.map((one) => [one.metric.name, one]));
    const second = all.flatMap(({ metric, compared, compared_whole = null }) =>
      compared ? [[metric.name, { values: compared, whole: compared_whole }] as const] : [],
    );
    return [{ connection_id, group, figures, compared: new Map(second) }];
  });
}

/** Of several probes, in one statement, two the first time. */
export async function figuresOf(db: Db, asked: readonly IncreasesRequest[]): Promise<Figured[][]> {
  return (await metricBucketsOf(db, asked.map(queryOf))).map(figured);
}

/** Of the whole window, or of one of its buckets. */
export function figureOf(figures: Figures, name: string, bucket?: number): number | null {
  const series = figures.get(name);
  return (bucket === undefined ? series?.whole : series?.values[bucket]) ?? null;
}

type Ratio = ReturnType<typeof ratioOf>;

export const ratioIn = (figures: Figures, ratio: Ratio, bucket?: number): number | null =>
  increaseRatio(
    ratio,
    [...ratio.of, ...ratio.to].map((column) => figureOf(figures, column, bucket)),
  );

/** Of several, weighted by their denominators; those that are not known do not count. */
export function ratioOfAll(all: readonly Figures[], ratio: Ratio): number | null {
  const names = [...ratio.of, ...ratio.to];
  const own = all.filter((figures) => names.every((name) => figureOf(figures, name) !== null));
  if (own.length === 0) return null;
  const totals = names.map((name) => own.reduce((sum, figures) => sum + (figureOf(figures, name) ?? 0), 0));
  return increaseRatio(ratio, totals);
}

/** Undefined where none is known. */
export function sumOfAll(all: readonly Figures[], name: string): number | null {
  const values = all.flatMap((figures) => figureOf(figures, name) ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}
