// Which requests the bench of reads makes: one at least of every GET of the API, made from its contract, and the variants by which
// pages ask. Guards: an operation that is added is asked as well, or named as one that was not.
import type { Operation } from '../kernel/contract.ts';
import { iso } from '../kernel/times.ts';
import { databaseName, queryidOf, tableName } from './reads-rows.ts';

/** One request, for a connection where it is of one. */
export interface Ask {
  name: string;
  /** With `:c` where the connection stands. */
  path: string;
}

export interface Window {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
}
const spanOf = ({ from, to }: Window) => `start_time=${iso(from)}&end_time=${iso(to)}`;

const QUESTIONS = ['what_is_wrong', 'what_changed', 'who_blocks_whom', 'what_is_slow', 'what_runs_out'];

const metrics = (probe: string, more: string) => `connection_id=:c&probe_name=${probe}&${more}`;

/** Queries of operations that need some, or that pages ask in several ways; by the operation's id. */
function queriesOf({ from, to }: Window): Readonly<Record<string, readonly string[]>> {
  const day = spanOf({ from, to });
  const hour = spanOf({ from: to - 3_600_000, to });
  return {
    listTimelineEvents: [day, `${day}&include=changes`, `${day}&include=changes&connection_id=:c`],
    listChanges: [`${day}&limit=1`, day, `${day}&connection_id=:c`, `${day}&connection_id=:c&limit=1`],
    queryMetrics: [
      metrics('pg_stat_database', `metrics=xact_commit_per_sec,cache_hit_ratio&${day}`),
      metrics('pg_stat_all_tables', `metrics=seq_scan&${hour}`),
      metrics('pg_stat_all_tables', day),
      metrics('pg_stat_all_tables', `metrics=seq_scan&table_name=${tableName(0)}&${day}`),
      metrics('pg_stat_all_tables', `metrics=seq_scan&database_name=${databaseName(0)}&${day}`),
      metrics('pg_stat_all_indexes', `metrics=idx_scan&index_name=${tableName(0)}_pkey&${day}`),
      metrics('pg_stat_statements', `metrics=calls,total_exec_time&${day}`),
      metrics('pg_stat_statements', `metrics=calls&queryid=${queryidOf(0)}&${day}`),
      metrics('pg_stat_all_tables', 'order_by=table_size&limit=100'),
      metrics('pg_stat_statements', 'order_by=total_exec_time&limit=100'),
    ],
    getLatestMetrics: [
      metrics('pg_stat_all_tables', 'limit=100'),
      metrics('pg_stat_all_tables', 'limit=100&order_by=table_size'),
      metrics('pg_stat_all_tables', 'limit=100&order_by=relname&order=asc'),
      metrics('pg_stat_all_tables', 'limit=100&offset=5000'),
      metrics('pg_stat_all_tables', 'limit=100&exclude_schemas=pg_catalog'),
      metrics('pg_stat_all_tables', `limit=100&search=${tableName(1)}`),
      metrics('pg_stat_all_indexes', 'limit=100&order_by=idx_scan'),
      metrics('pg_stat_statements', 'limit=100&order_by=total_exec_time'),
      metrics('pg_stat_database', 'limit=100'),
    ],
    getMetricBaselines: [metrics('pg_stat_database', ''), metrics('pg_stat_all_tables', 'metrics=seq_scan')],
    listTopQueries: [`connection_id=:c&time_range=1h`, `connection_id=:c&time_range=24h&limit=100`],
    getPerformanceSummary: ['connection_id=:c&time_range=24h'],
    getDatabaseSummaries: ['connection_id=:c&time_range=24h'],
    getConnectionCoverage: ['', 'brief=true'],
    getConnectionLoad: [day, `${day}&split_by=statement`, `${day}&split_by=database`],
    getQueryDetail: [day],
    getConnectionMoment: ['', `at=${iso(to - 1_800_000)}`],
    getFindingsReport: [day],
    listPlannedBlackouts: [day],
    searchEstate: [`text=${tableName(1)}`],
  };
}

/** What asks elsewhere: a watched server, a provider of models, or what a person has chosen; or of what is not filled here. */
const ELSEWHERE = new Set([
  ...['listConnectionDatabases', 'listLlmModels', 'getCurrentConnection'],
  ...['diffQueryPlans', 'getScopeAccess'],
]);

/** Values of parameters that name no connection. */
const VALUES: Readonly<Record<string, string>> = { queryid: queryidOf(0), scope: 'server' };
const OF_CONNECTION = /^\/api\/v1\/(connections\/\{id\}|server-info\/\{connection_id\})/;

/** Undefined: it names what is not here. */
function pathOf({ path }: Operation): string | undefined {
  const known = path
    .replace('{scopeId}', ':c')
    .replace(OF_CONNECTION, (start) => start.replace(/\{[a-z_]+\}/, ':c'))
    .replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => VALUES[name] ?? whole);
  return known.includes('{') ? undefined : known;
}

/** What is asked, and the operations of which nothing here can be asked. */
export function asksOf(operations: readonly Operation[], window: Window): { asks: Ask[]; left: string[] } {
  const queries = queriesOf(window);
  const asks: Ask[] = [];
  const left: string[] = [];
  for (const operation of operations) {
    const { id, method, success } = operation;
    if (method !== 'GET') continue;
    if (id === 'answerQuestion') {
      for (const question of QUESTIONS)
        asks.push({ name: `${id} ${question}`, path: `/api/v1/connections/:c/answers/${question}` });
      continue;
    }
    const path = pathOf(operation);
    if (path === undefined || success.stream || ELSEWHERE.has(id)) {
      left.push(id);
      continue;
    }
    for (const query of queries[id] ?? [''])
      asks.push({
        name: `${id} ${decodeURIComponent(query)
          .replace(/start_time=\S+?Z&end_time=\S+?Z/, 'window')
          .replace('connection_id=:c', '')}`.trim(),
        path: query === '' ? path : `${path}?${query}`,
      });
  }
  return { asks, left };
}

const SOURCES: readonly [string, string][] = [
  [
    'pg_stat_database',
    'xact_commit_per_sec,xact_rollback_per_sec,cache_hit_ratio,blks_read_per_sec,blks_hit_per_sec,temp_bytes_per_sec,deadlocks,conflicts',
  ],
  ['pg_stat_activity', 'client_count,active_count,blocked_count'],
  ['pg_stat_wal', 'wal_bytes_per_sec'],
  ['pg_stat_checkpointer', 'num_timed,num_requested'],
  ['pg_stat_replication', 'write_lag,flush_lag,replay_lag'],
  ['pg_sys_cpu_usage_info', 'processor_time_percent,io_completion_percent'],
  ['pg_sys_memory_info', 'used_memory,cache_total,swap_used'],
  ['pg_sys_disk_info', 'used_percent'],
];

/** What a page asks at once. */
export interface PageAsks {
  name: string;
  paths: readonly string[];
}

export function pagesOf(window: Window): PageAsks[] {
  const hour = spanOf({ from: window.to - 3_600_000, to: window.to });
  const day = spanOf(window);
  const common = [
    '/api/v1/user/info',
    '/api/v1/clusters',
    '/api/v1/alerts/counts',
    '/api/v1/blackouts?active=true',
  ];
  const server = [
    ...common,
    '/api/v1/server-info/:c',
    '/api/v1/connections/:c/coverage?brief=true',
    '/api/v1/estate',
    `/api/v1/timeline/events?connection_id=:c&${hour}&limit=100`,
  ];
  const latest = (probe: string, order: string) =>
    `/api/v1/metrics/latest?connection_id=:c&probe_name=${probe}&order_by=${order}&order=desc&limit=100`;
  return [
    {
      name: 'start page',
      paths: [
        ...common,
        '/api/v1/estate',
        '/api/v1/findings/counts',
        '/api/v1/overview',
        '/api/v1/estate/history',
        `/api/v1/changes?${day}&limit=1`,
      ],
    },
    {
      name: 'Activity page',
      paths: [
        ...server,
        ...SOURCES.map(
          ([probe, names]) =>
            `/api/v1/metrics/query?connection_id=:c&probe_name=${probe}&metrics=${names}&${hour}&buckets=150`,
        ),
        `/api/v1/connections/:c/load?${hour}&buckets=150`,
        '/api/v1/connections/:c/moment',
      ],
    },
    {
      name: 'Queries page',
      paths: [...server, '/api/v1/metrics/top-queries?connection_id=:c&time_range=1h&limit=100'],
    },
    {
      name: 'Tables page',
      paths: [
        ...server,
        latest('pg_stat_all_tables', 'table_size'),
        latest('pg_stat_all_indexes', 'index_size'),
      ],
    },
    { name: 'Timeline page', paths: [...common, `/api/v1/timeline/events?${day}&include=changes&limit=500`] },
  ];
}
