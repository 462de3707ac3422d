// What a screen that is opened asks at once: thirty-one requests over HTTP, of which twenty-three are of metrics over an hour,
// sign-in included. Guards: the slowest of a round counts, since that is when the screen is whole; processor time, that of the
// requests' own client among it, is told beside the time on the clock.
import process from 'node:process';
import type { ApiConfig } from '../api/config.ts';
import { createApi } from '../api/server.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { serverInfoRoutes } from '../estate/server-info/server-info.routes.ts';
import { metricsRoutes } from '../history/metrics/metrics.routes.ts';
import { performanceRoutes } from '../history/performance/performance.routes.ts';
import { timelineRoutes } from '../insight/timeline/timeline.routes.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { makeSession } from '../testing/access/actors.ts';
import { countedDb } from '../testing/store/counted-db.ts';

const ROUNDS = 40;
const CONFIG: ApiConfig = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: false,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1_048_576,
  sharedAccess: 'read_write',
};

const query = (probe: string, more: string) => `metrics/query?connection_id=1&probe_name=${probe}&${more}`;

/** 30, 60, 150 buckets of each. */
const METRICS = [
  ...[
    'xact_commit',
    'numbackends',
    'cache_hit_ratio',
    'deadlocks',
    'temp_bytes',
    'blks_read',
    'tup_returned',
  ].map((metric, n) => query('pg_stat_database', `metrics=${metric}&buckets=${[30, 60, 150][n % 3]}`)),
  ...['seq_scan', 'n_dead_tup', 'dead_tuple_ratio', 'table_size', 'n_tup_ins'].map((metric, n) =>
    query('pg_stat_all_tables', `metrics=${metric}&buckets=${[30, 60, 150][n % 3]}`),
  ),
  ...[1, 2, 3, 4].map((n) =>
    query('pg_stat_all_tables', `metrics=seq_scan&table_name=table_${n}&buckets=60`),
  ),
  ...['count', 'client_count', 'active_count', 'blocked_count', 'connection_utilization_percent'].map(
    (metric, n) => query('pg_stat_activity', `metrics=${metric}&buckets=${[30, 60, 150][n % 3]}`),
  ),
  query('pg_stat_statements', 'metrics=calls,total_exec_time&buckets=60'),
  query('pg_stat_database', 'metrics=xact_commit_per_sec&buckets=60&compare=previous'),
];
const OTHERS = [
  'metrics/performance-summary?connection_id=1',
  'metrics/database-summaries?connection_id=1&time_range=1h',
  'metrics/top-queries?connection_id=1&time_range=1h',
  'metrics/latest?connection_id=1&probe_name=pg_stat_database',
  'connections/1/load',
  'server-info/1',
  'estate',
];

/** A line of figures. */
export async function requestsAtOnce(db: Database): Promise<string> {
  const counted = countedDb(db);
  const routes = [
    ...estateRoutes(),
    ...metricsRoutes(),
    ...performanceRoutes(),
    ...serverInfoRoutes({ analysis: { getServerAiAnalysis: async () => null } }),
    ...timelineRoutes(),
  ];
  const api = await createApi({
    db: counted,
    routes,
    constraints: {},
    log: silentLog,
    clock: systemClock,
    config: CONFIG,
  });
  const { url } = await api.listen();
  const headers = { authorization: `Bearer ${await makeSession(db, 1)}` };
  const day = [86_400_000, 0].map((ago) => new Date(systemClock.now() - ago).toISOString());
  const events = `timeline/events?connection_id=1&start_time=${day[0]}&end_time=${day[1]}`;
  const paths = [...METRICS, ...OTHERS, events];
  const ask = async (path: string): Promise<number> => {
    const began = systemClock.monotonic();
    const reply = await fetch(`${url}/api/v1/${path}`, { headers });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text.slice(0, 200)}`);
    return systemClock.monotonic() - began;
  };
  const [single, rounds]: number[][] = [[], []];
  let before = process.cpuUsage();
  for (let n = 0; n < ROUNDS + 3; n += 1) {
    counted.reset();
    if (n === 3) before = process.cpuUsage();
    const times = await Promise.all(paths.map(ask));
    if (n < 3) continue;
    single?.push(...times);
    rounds?.push(times.reduce((most, one) => Math.max(most, one), 0));
  }
  const { user, system } = process.cpuUsage(before);
  await api.stop();
  const at = (times: number[] | undefined, share: number) => {
    const sorted = (times ?? []).toSorted((a, b) => a - b);
    return (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  };
  return (
    `${paths.length} requests at once, ${METRICS.length} of them metrics: each p50 ${at(single, 0.5)} ms, ` +
    `p95 ${at(single, 0.95)} ms; all of them p50 ${at(rounds, 0.5)} ms, p95 ${at(rounds, 0.95)} ms; ` +
    `${counted.sent.length} statements, our processor ${((user + system) / 1000 / ROUNDS).toFixed(0)} ms a round`
  );
}
