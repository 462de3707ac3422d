// What the operations on metrics take and answer. Guards: windows, lists of connections and points look the same in all
// of them.
import * as s from '../../kernel/schema.ts';

export const TIME_RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;
export const AGGREGATIONS = ['avg', 'sum', 'min', 'max', 'last'] as const;
export const COMPARISONS = ['previous', 'day', 'week'] as const;

/** A window of time up to now, or from one moment to another. */
export const windowQuery = (fallback: (typeof TIME_RANGES)[number]) => ({
  time_range: s.optional(s.oneOf(TIME_RANGES, { default: fallback })),
  start_time: s.optional(s.timestamp()),
  end_time: s.optional(s.timestamp()),
});

/** One connection, or several with commas between. */
export const connectionsQuery = {
  connection_id: s.optional(s.id()),
  connection_ids: s.optional(s.idList()),
};

export const orderQuery = {
  order_by: s.optional(s.text()),
  order: s.optional(s.oneOf(['asc', 'desc'], { default: 'desc' })),
  limit: s.optional(s.integer({ minimum: 1, maximum: 100, default: 20 })),
};

export const compareQuery = s.optional(
  s.ours(
    s.oneOf(COMPARISONS, {
      description: 'A second window on the same grid: the one before, or a day or a week earlier.',
    }),
  ),
);

const MetricPoint = s.component('MetricPoint', {
  time: s.timestamp({
    description: 'Where its bucket begins; what it tells was measured between that and the next.',
  }),
  value: s.nullable(s.number()),
  compared: s.optional(
    s.ours(s.nullable(s.number({ description: 'In the window that it is compared with, with compare.' }))),
  ),
});

const MetricSeries = s.component('MetricSeries', {
  name: s.text(),
  metric: s.text(),
  data: s.list(MetricPoint),
  unit: s.text(),
  description: s.optional(s.ours(s.text({ description: 'What the metric is, in a sentence.' }))),
});

const MetricRow = s.anyObject({ title: 'MetricRow' });

export const MetricsQueryResponse = s.anyOf([s.list(MetricSeries), s.list(MetricRow)], {
  title: 'MetricsQueryResponse',
});

export const LatestSnapshotResponse = s.component('LatestSnapshotResponse', {
  rows: s.list(MetricRow),
  total_count: s.integer(),
});

export const MetricBaseline = s.component('MetricBaseline', {
  metric: s.text(),
  mean: s.number(),
  stddev: s.number(),
  min: s.number(),
  max: s.number(),
  p50: s.number(),
  p95: s.number(),
  p99: s.number(),
});
