// What the operations on metrics take and answer. Guards: windows, lists of connections and points look the same in all
// of them.
import {
  anyObject,
  anyOf,
  component,
  id,
  idList,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const TIME_RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;
export const AGGREGATIONS = ['avg', 'sum', 'min', 'max', 'last'] as const;
export const COMPARISONS = ['previous', 'day', 'week'] as const;

/** A window of time up to now, or from one moment to another. */
export const windowQuery = (fallback: (typeof TIME_RANGES)[number]) => ({
  time_range: optional(oneOf(TIME_RANGES, { default: fallback })),
  start_time: optional(timestamp()),
  end_time: optional(timestamp()),
});

/** One connection, or several with commas between. */
export const connectionsQuery = {
  connection_id: optional(id()),
  connection_ids: optional(idList()),
};

export const orderQuery = {
  order_by: optional(text()),
  order: optional(oneOf(['asc', 'desc'], { default: 'desc' })),
  limit: optional(integer({ minimum: 1, maximum: 100, default: 20 })),
};

export const compareQuery = optional(
  ours(
    oneOf(COMPARISONS, {
      description: 'A second window on the same grid: the one before, or a day or a week earlier.',
    }),
  ),
);

const MetricPoint = component('MetricPoint', {
  time: timestamp({
    description: 'Where its bucket begins; what it tells was measured between that and the next.',
  }),
  value: nullable(number()),
  compared: optional(
    ours(nullable(number({ description: 'In the window that it is compared with, with compare.' }))),
  ),
});

const MetricSeries = component('MetricSeries', {
  name: text(),
  metric: text(),
  data: list(MetricPoint),
  unit: text(),
  description: optional(ours(text({ description: 'What the metric is, in a sentence.' }))),
});

const MetricRow = anyObject({ title: 'MetricRow' });

export const MetricsQueryResponse = anyOf([list(MetricSeries), list(MetricRow)], {
  title: 'MetricsQueryResponse',
});

export const LatestSnapshotResponse = component('LatestSnapshotResponse', {
  rows: list(MetricRow),
  total_count: integer(),
});

export const MetricBaseline = component('MetricBaseline', {
  metric: text(),
  mean: number(),
  stddev: number(),
  min: number(),
  max: number(),
  p50: number(),
  p95: number(),
  p99: number(),
});
