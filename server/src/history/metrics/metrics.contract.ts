// Metrics over time, the newest rows of a probe, and what is usual of its metrics.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  AGGREGATIONS,
  compareQuery,
  connectionsQuery,
  LatestSnapshotResponse,
  MetricBaseline,
  MetricsQueryResponse,
  orderQuery,
  windowQuery,
} from './metrics.schemas.ts';

const operation = operationsOf({ tag: 'metrics' });
const series = [
  {
    name: 'xact_commit_per_sec',
    metric: 'xact_commit_per_sec',
    unit: 'count/s',
    description: 'Transactions committed. A second.',
    data: [{ time: '2026-11-20T10:00:00.000Z', value: 12.5 }],
  },
];
const paramsExample = { connection_id: 1, probe_name: 'pg_stat_database' };
const row = { connection_id: 1, collected_at: '2026-11-20T10:00:00.000Z', response_time_ms: 0.8 };

export const queryMetrics = operation({
  id: 'queryMetrics',
  route: 'GET /api/v1/metrics/query',
  summary: 'Query metric data points',
  access: { connections: ['connection_id', 'connection_ids'], need: 'read' },
  query: s.object({
    ...connectionsQuery,
    probe_name: s.text(),
    ...windowQuery('1h'),
    database_name: s.optional(s.text()),
    schema_name: s.optional(s.text()),
    table_name: s.optional(s.text()),
    index_name: s.optional(s.text()),
    queryid: s.optional(s.text()),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 500, default: 150 })),
    aggregation: s.optional(s.oneOf(AGGREGATIONS, { default: 'avg' })),
    metrics: s.optional(s.text()),
    ...orderQuery,
    compare: compareQuery,
  }),
  paramsExample,
  success: ok(MetricsQueryResponse, series),
  notes: [
    'Bare array. One of connection_id or connection_ids is required, at most 100. Unknown probe, metric, aggregation, range or column is 400.',
    'Series form: one series for every metric and connection; name is the metric, or "metric (conn N)" when several connections are named; value is null where there is a gap.',
    'Counters give the increase in the bucket whatever the aggregation; <counter>_per_sec gives the rate; dead_tuple_ratio is derived for pg_stat_all_tables. The catalog of probes names further metrics.',
    'Ratios of levels are of their means in the bucket, with aggregation=last of the last values.',
    "Row form: with order_by the answer is an array of newest rows with the probe's columns; buckets, aggregation, metrics and time range do not apply.",
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
    'compare answers a second window of the same length as compared in each point.',
  ],
});

export const getLatestMetrics = operation({
  id: 'getLatestMetrics',
  route: 'GET /api/v1/metrics/latest',
  summary: 'Latest probe snapshot per entity',
  access: { connections: ['connection_id'], need: 'read' },
  query: s.object({
    connection_id: s.id(),
    probe_name: s.text(),
    database_name: s.optional(s.text()),
    exclude_schemas: s.optional(s.text()),
    search: s.optional(
      s.ours(
        s.text({
          maxLength: 200,
          description: 'Part of a text that names or describes a row, whatever its case.',
        }),
      ),
    ),
    ...orderQuery,
    offset: s.optional(
      s.ours(
        s.integer({
          minimum: 0,
          maximum: 2_147_483_647,
          default: 0,
          description: 'How many rows of that order are left out before the first one.',
        }),
      ),
    ),
    reading: s.optional(
      s.ours(
        s.text({
          minLength: 1,
          maxLength: 40,
          description:
            'A word of the caller. Parts of a list of at most 10,000 rows that are asked for with the same word are of one reading, which is kept for five minutes.',
        }),
      ),
    ),
  }),
  paramsExample,
  success: ok(LatestSnapshotResponse, { rows: [row], total_count: 1 }),
  notes: [
    'Rows of the newest sample of every database, whatever its age; each row carries collected_at. total_count counts the entities before limit and offset.',
    'exclude_schemas is a comma-separated list; empty or "none" excludes nothing; a malformed name is 400.',
  ],
});

export const getMetricBaselines = operation({
  id: 'getMetricBaselines',
  route: 'GET /api/v1/metrics/baselines',
  summary: 'Metric baseline values',
  access: { connections: ['connection_id'], need: 'read' },
  query: s.object({ connection_id: s.id(), probe_name: s.text(), metrics: s.optional(s.text()) }),
  paramsExample,
  success: ok(s.list(MetricBaseline), [
    { metric: 'numbackends', mean: 8, stddev: 2, min: 3, max: 20, p50: 8, p95: 12, p99: 17 },
  ]),
  notes: [
    'Bare array over the stored samples of the last 7 days, percentiles from the samples themselves. A metric with fewer than 30 samples is left out.',
    'Counters are rates a second.',
  ],
});
