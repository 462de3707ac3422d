// How far behind the standbys of a cluster were over a window of time.

import { compareQuery, windowQuery } from '../../history/metrics/metrics.schemas.ts';
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { clusterPath } from './clusters.schemas.ts';

const lag = (unit: () => ReturnType<typeof s.number> | ReturnType<typeof s.bytes>) => ({
  values: s.list(s.nullable(unit()), {
    description: 'One for each bucket; null where nothing was measured.',
  }),
  compared: s.optional(s.list(s.nullable(unit()), { description: 'In the second window, with compare.' })),
});

const ClusterStream = s.component('ClusterStream', {
  source_connection_id: s.id({ description: 'The standby.' }),
  target_connection_id: s.id({ description: 'The server that it streams from, which measures.' }),
  application_name: s.nullable(s.text({ description: 'What the standby calls itself there.' })),
  lag_bytes: s.object(lag(s.bytes), {
    description: 'WAL from the position of the sender to what is replayed; the largest in the bucket.',
  }),
  replay_lag_seconds: s.object(lag(s.number), {
    description:
      'Time until recent WAL was replayed; null while idle, as PostgreSQL tells it. The largest in the bucket.',
  }),
  reason: s.nullable(s.text({ description: 'Why nothing is known of it.' })),
});

const LagMetric = s.component('LagMetric', {
  name: s.oneOf(['lag_bytes', 'replay_lag_seconds'], { description: 'Member of each stream.' }),
  unit: s.text(),
  description: s.text(),
});

export const ClusterLag = s.component('ClusterLag', {
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  bucket_seconds: s.number({ description: 'Of each bucket; the first begins at start_time.' }),
  compared_start_time: s.optional(s.timestamp({ description: 'Of the second window, with compare.' })),
  metrics: s.list(LagMetric, { description: 'What is known of each stream.' }),
  streams: s.list(ClusterStream, {
    description: 'Of every standby that streams from a server of the cluster.',
  }),
});

export const getClusterLag = operation({
  id: 'getClusterLag',
  route: 'GET /api/v1/clusters/{id}/lag',
  tag: 'clusters',
  summary: 'Replication lag within a cluster over a window',
  access: { object: 'cluster' },
  params: clusterPath(),
  query: s.object({
    ...windowQuery('1h'),
    buckets: s.optional(s.integer({ minimum: 1, maximum: 500, default: 60 })),
    compare: compareQuery,
  }),
  paramsExample: { id: 'cluster-4' },
  extra: true,
  success: ok(ClusterLag, {
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T10:03:00.000Z',
    bucket_seconds: 60,
    metrics: [
      {
        name: 'lag_bytes',
        unit: 'bytes',
        description: 'From the current position to what is replayed.',
      },
    ],
    streams: [
      {
        source_connection_id: 3,
        target_connection_id: 2,
        application_name: 'orders-standby',
        lag_bytes: { values: [8192, null, 16384] },
        replay_lag_seconds: { values: [0.004, null, null] },
        reason: null,
      },
    ],
  }),
  notes: [
    'id as in GET /clusters/{id}/topology. Only standbys of which the caller can read both ends.',
    'From the samples of pg_stat_replication of the sender. A standby is found among its rows by the slot it uses now, by its cluster_name, or by its address; one that cannot be told from others has no values, and says so.',
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
  ],
});
