// Performance at a glance: of servers, of the databases of a server, and of the statements that cost it most.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { compareQuery, connectionsQuery, windowQuery } from '../metrics/metrics.schemas.ts';
import {
  DatabaseSummaryResponse,
  PerfSummaryResponse,
  QUERY_ORDERS,
  TopQueryRow,
} from './performance.schemas.ts';

const operation = operationsOf({ tag: 'metrics' });
const time = '2026-11-20T10:00:00.000Z';

export const getPerformanceSummary = operation({
  id: 'getPerformanceSummary',
  route: 'GET /api/v1/metrics/performance-summary',
  summary: 'Performance summary',
  access: { connections: ['connection_id', 'connection_ids'], need: 'read' },
  query: s.object({ ...connectionsQuery, ...windowQuery('1h'), compare: compareQuery }),
  paramsExample: { connection_id: 1 },
  success: ok(PerfSummaryResponse, {
    time_range: '1h',
    connections: [
      {
        connection_id: 1,
        connection_name: 'shop primary',
        xid_age: [{ database_name: 'shop', age: 214748364, percent: 9.99999996274709 }],
        cache_hit_ratio: { current: 99.2, time_series: [{ time, value: 99.1 }] },
        transactions: {
          commits_per_sec: 120.5,
          rollback_percent: 0.4,
          time_series: [{ time, commits_per_sec: 118, rollback_percent: 0.5 }],
        },
        checkpoints: { time_series: [{ time, write_time_ms: 26910, sync_time_ms: 14 }] },
      },
    ],
  }),
  notes: [
    'One of connection_id or connection_ids is required, at most 1,000; connections are answered as named.',
    '60 buckets, never narrower than 10 s. Ratios and rates come from increases inside the window; a bucket without data has no point. Numbers that cannot be computed are absent.',
    'aggregate is present only when more than one connection is named: rates are summed, ratios weighted by their denominators.',
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
    'compare answers a second window of the same length on the same grid as compared.',
  ],
});

export const getDatabaseSummaries = operation({
  id: 'getDatabaseSummaries',
  route: 'GET /api/v1/metrics/database-summaries',
  summary: 'Database-level summaries',
  access: { connections: ['connection_id'], need: 'read' },
  query: s.object({ connection_id: s.id(), ...windowQuery('24h'), compare: compareQuery }),
  paramsExample: { connection_id: 1 },
  success: ok(DatabaseSummaryResponse, {
    databases: [
      {
        database_name: 'shop',
        size_bytes: 8589934592,
        size_pretty: '8192 MB',
        cache_hit_ratio: { current: 99.2, time_series: [{ time, value: 99.1 }] },
        transaction_rate: 121.3,
        dead_tuple_ratio: 3.4,
        active_connections: 12,
        size_collected_at: time,
        sessions_collected_at: time,
      },
    ],
  }),
  notes: [
    'One entry for each database, largest first, template databases left out. Numbers that cannot be computed are absent.',
    'Size and sessions are of the newest sample of each, whose time is beside it; ratios and rates of the window in 60 buckets, never narrower than 10 s.',
    'start_time and end_time replace time_range and must come together (at most 366 days apart).',
    'compare answers a second window of the same length on the same grid as compared.',
  ],
});

export const listTopQueries = operation({
  id: 'listTopQueries',
  route: 'GET /api/v1/metrics/top-queries',
  summary: 'Top queries by resource usage',
  access: { connections: ['connection_id'], need: 'read' },
  query: s.object({
    connection_id: s.id(),
    limit: s.optional(s.integer({ minimum: 1, maximum: 100, default: 10 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
    order_by: s.optional(s.oneOf(QUERY_ORDERS, { default: 'total_exec_time' })),
    order: s.optional(s.oneOf(['asc', 'desc'], { default: 'desc' })),
    queryid: s.optional(s.text()),
    database_name: s.optional(s.text()),
    exclude_collector: s.optional(s.boolean({ default: false })),
    search: s.optional(
      s.ours(s.text({ maxLength: 200, description: 'Part of the text of a statement, whatever its case.' })),
    ),
    course_buckets: s.optional(
      s.ours(
        s.integer({
          minimum: 1,
          maximum: 60,
          description: 'Also answers the course of the execution time, in so many parts of the window.',
        }),
      ),
    ),
    ...windowQuery('24h'),
    compare: compareQuery,
  }),
  paramsExample: { connection_id: 1 },
  success: {
    ...ok(s.list(TopQueryRow), [
      {
        queryid: '-4725382164029184731',
        database_name: 'shop',
        query: 'select id from orders where customer = $1',
        calls: 1200,
        total_exec_time: 5400.5,
        mean_exec_time: 4.5004,
        rows: 3600,
        shared_blks_hit: 48000,
        shared_blks_read: 120,
        load_percent: 41.5,
        is_own: false,
      },
    ]),
    headers: { 'X-Total-Count': 'How many match, before limit and offset.' },
  },
  notes: [
    'Bare array of increases inside the window (default 24h), aware of resets and evictions, over all users. Header X-Total-Count counts the matches before limit and offset.',
    'queryid is text (64-bit). With the queryid filter a known but idle statement is returned with zeros.',
    "exclude_collector leaves out the monitor's own statements.",
    'compare answers for each of these statements what it cost in a second window as compared; the order is that of the first.',
  ],
});
