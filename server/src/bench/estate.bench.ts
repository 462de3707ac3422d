// P9: how long it takes to read the tiles and the strip of 24 hours of a thousand servers, and the newest values of one probe
// of all of them, on data as the collector, the writer and compaction leave it. The reply of the API is read anew after ten
// seconds; this measures the reading. Prints figures, judges nothing.
// Run: npm run bench -- estate [servers]
import process from 'node:process';
import { estateHistory } from '../estate/estate/estate-history.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/units.ts';
import { metricOf } from '../probes/metrics.ts';
import { probe as activeSessions } from '../probes/pg-active-sessions.ts';
import { probe as connectivity } from '../probes/pg-connectivity.ts';
import { probe as activity } from '../probes/pg-stat-activity.ts';
import { probe as database } from '../probes/pg-stat-database.ts';
import { probe as replication } from '../probes/pg-stat-replication.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { newest } from '../store/read/newest.ts';
import { newestMetrics } from '../store/read/newest-metric.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const SERVERS = Number(process.argv[2] ?? 1000);
const DATABASES = 5;
const SESSIONS = 50;
const READS = 30;
const HOURS = 25;
const CALM_MS = 20_000;

const session = (n: number, at: number) => ({
  datid: 5,
  datname: 'shop',
  pid: 1000 + n,
  usename: 'app',
  application_name: 'checkout',
  client_addr: '10.0.0.7',
  backend_type: 'client backend',
  backend_start: new Date(at - 3_600_000).toISOString(),
  state: n % 5 === 0 ? 'active' : 'idle',
  query_start: new Date(at - n * 1000).toISOString(),
  query: `select id, customer, total from orders where customer = $1 and created_at > $2 order by id limit ${n}`,
});

const standby = { role: 'primary', pid: 7, state: 'streaming', replay_lag: 0.2, lag_bytes: 9000 };

const VOLUMES = ['/', '/data', '/backup'].map((mount_point) => ({
  mount_point,
  total_space: 107_374_182_400,
  used_space: 53_687_091_200,
  free_space: 53_687_091_200,
}));

const combination = (wait_event_type: string | null, sessions: number) => ({
  state: 'active',
  wait_event_type,
  wait_event: wait_event_type,
  datname: 'shop',
  usename: 'app',
  backend_type: 'client backend',
  is_rest: false,
  sessions,
});

/** Of one server, written and packed as every other is. */
async function writeOne(db: Database, now: number): Promise<void> {
  const probes: Probe[] = [activeSessions, database, activity, replication];
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const common = { connection_id: 1, server_instance: 'a' };
  for (let at = now - HOURS * HOUR_MS, n = 0; at <= now; at += CALM_MS, n += 1) {
    const rows = n % 3 === 0 ? [combination(null, 2), combination('IO', 1), combination('Lock', 1)] : [];
    writer.add(keptRun(activeSessions, { ...common, at, rows }));
    if (n % 500 === 499) await writer.flush();
  }
  for (let n = 0; n < 4; n += 1)
    for (let d = 1; d <= DATABASES; d += 1) {
      const datname = `database_${d}`;
      const row = {
        datname,
        numbackends: 8,
        xact_commit: n * 9000,
        xact_rollback: n,
        blks_hit: n * 1e6,
        blks_read: n,
      };
      const at = now - (3 - n) * 5 * MINUTE_MS;
      writer.add(keptRun(database, { ...common, at, database_name: datname, rows: [row] }));
    }
  const sessions = Array.from({ length: SESSIONS }, (_none, n) => session(n, now));
  writer.add(keptRun(activity, { ...common, at: now, rows: sessions }));
  writer.add(keptRun(replication, { ...common, at: now, rows: [standby] }));
  await writer.stop();
  await db.run(sql`/* bench.snapshots */
    insert into metrics.current_snapshots (connection_id, probe, collected_at, attempted_at, took_ms, outcome, rows, row_count)
    select 1, probe, now(), now(), 1, 'ran', rows, 1
    from (values
      ('pg_connectivity', ${JSON.stringify([{ response_time_ms: 0.4 }])}::jsonb),
      ('pg_sys_cpu_info', ${JSON.stringify([{ logical_processor: 16 }])}::jsonb),
      ('pg_sys_disk_info', ${JSON.stringify(VOLUMES)}::jsonb)
    ) as v (probe, rows)`);
  await db.run(sql`/* bench.facts */
    insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, value)
    values (1, 'pg_server_info', '', '', now(), '{"max_connections": 100}')`);
  const layouts = [activeSessions, database].flatMap((probe) => layoutOf(probe) ?? []);
  const { problems } = await runCompaction({ db, layouts, now });
  if (problems.length > 0) throw new Error(problems.join(' '));
}

/** All other servers have the same. */
async function copyToAll(db: Database): Promise<void> {
  for (const table of [
    'pg_active_sessions__h1',
    'pg_active_sessions__m1',
    'pg_stat_database',
    'current_snapshots',
    'facts',
  ])
    await db.transaction(async (inside) => {
      await inside.run(sql`/* bench.copy */ select set_config('bench.table', ${table}, true)`);
      await inside.run(sql`/* bench.copy */
        do $$
        declare
          own text := current_setting('bench.table');
          listed text := (
            select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
            from pg_attribute a
            where a.attrelid = to_regclass('metrics.' || own) and a.attnum > 0 and not a.attisdropped
              and a.attname <> 'connection_id'
          );
        begin
          execute format(
            'insert into metrics.%1$I (connection_id, %2$s)
            select n, %2$s from metrics.%1$I t
            cross join (select id as n from matriarch.connections where id > 1) c
            where t.connection_id = 1 and %3$s on conflict do nothing', own, listed,
            -- Of minutes only those that are read.
            case own when 'pg_active_sessions__m1' then 'collected_at > now() - interval ''2 hours''' else 'true' end);
        end $$`);
    });
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
}

async function timed(db: Database, name: string, work: (db: Db) => Promise<unknown>): Promise<void> {
  const counted = countedDb(db);
  const times: number[] = [];
  let bytes = 0;
  for (let n = 0; n < READS; n += 1) {
    counted.reset();
    const began = systemClock.monotonic();
    const answer = await work(counted);
    times.push(systemClock.monotonic() - began);
    if (n === 0) bytes = JSON.stringify(answer).length;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1).padStart(7);
  print(
    `  ${name.padEnd(44)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${counted.sent.length} statements, ${(bytes / 1024).toFixed(0)} kB`,
  );
}

async function run(db: Database): Promise<void> {
  const now = Math.floor(systemClock.now() / MINUTE_MS) * MINUTE_MS;
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  await writeOne(db, now);
  await copyToAll(db);
  const connection_ids = Array.from({ length: SERVERS }, (_none, n) => n + 1);
  print(`${SERVERS} servers of ${DATABASES} databases and ${SESSIONS} sessions; ${READS} reads`);
  await timed(db, 'estate: tiles and strip of all', (one) => estateHistory(one, { connection_ids, now }));
  const value = (probe: Probe, name: string) => {
    const metric = metricOf(probe, name);
    if (!metric) throw new Error(`there is no metric ${name}`);
    return (one: Db) => newestMetrics(one, { probe, metrics: [metric], connection_ids, now });
  };
  await timed(db, 'latest rows of connectivity, of all', (one) =>
    newest(one, { probe: connectivity, connection_ids }),
  );
  await timed(db, 'latest rows of databases, of one', (one) =>
    newest(one, { probe: database, connection_ids: [1] }),
  );
  await timed(db, 'newest replay_lag, of all', value(replication, 'replay_lag'));
  await timed(db, 'newest share of connections, of all', value(activity, 'connection_utilization_percent'));
  await timed(db, 'newest cache_hit_ratio, of all', value(database, 'cache_hit_ratio'));
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, run);
} finally {
  removeRunDirectory(directory);
}
