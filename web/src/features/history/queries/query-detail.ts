// One statement as the server answers it, made ready for charts and tables. Pure. Guards: values stand on the grid of the
// page only when they were asked for it; a change is told only where both sides are known.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { COMPARISON_WORDS, type Comparison } from '../../../lib/time-window.ts';
import { bucketWidth, type ChartSeries, type Grid } from '../../../ui/charts/series.ts';
import { metricName } from '../activity/metric-names.ts';

export type QueryDetail = OperationTypes['getQueryDetail']['result'];
export type QueryFigure = QueryDetail['figures'][number];
export type QueryPlace = QueryDetail['places'][number];

export const fitsGrid = ({ start_time, bucket_seconds }: QueryDetail, grid: Grid): boolean =>
  Math.abs(Date.parse(start_time) - grid.from) <= 1000 &&
  Math.abs(bucket_seconds * 1000 - bucketWidth(grid)) <= 2;

export interface QueryChart {
  metric: string;
  /** What people call it; what it means is in its series. */
  title: string;
  unit: string;
  /** Over the whole window; null where it is not known. */
  total: number | null;
  compared_total: number | null;
  series: ChartSeries[];
}

const isThere = (values: readonly (number | null)[]) => values.some((value) => value !== null && value !== 0);

/** A chart for each figure that is known and not all zero, in the order of the server. */
export function chartsOf(detail: QueryDetail, compare: Comparison): QueryChart[] {
  return detail.figures.flatMap(({ metric, unit, description, total, compared_total }) => {
    const found = detail.series.find((one) => one.metric === metric);
    if (!found || !(isThere(found.values) || isThere(found.compared))) return [];
    const label = metricName(metric);
    const before = {
      name: `${metric}, ${COMPARISON_WORDS[compare]}`,
      label: `${label}, ${COMPARISON_WORDS[compare]}`,
      values: found.compared,
      description,
      comparedTo: 0,
    };
    const own = { name: metric, label, values: found.values, description };
    return [
      {
        metric,
        title: label,
        ...{ unit, total, compared_total },
        series: found.compared.some((value) => value !== null) ? [own, before] : [own],
      },
    ];
  });
}

const MAIN = new Set(['calls', 'mean_time', 'rows']);

/** One of the three that say most. */
export const isMain = ({ metric }: QueryChart): boolean => MAIN.has(metric);

export const figureOf = (figures: readonly QueryFigure[], metric: string): QueryFigure | undefined =>
  figures.find((one) => one.metric === metric);
