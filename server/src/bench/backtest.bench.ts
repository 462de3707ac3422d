// How long a backtest of one server over 30 days takes, on a store that the writer and compaction made: a level of the host, what
// grew in an hour, sessions that are kept as samples only, and tables one by one. Prints figures, judges nothing.
// Run: npm run bench -- backtest [tables] [sessions]
import process from 'node:process';
import { syncAlertRules } from '../alerting/alert-rules/alert-rules.service.ts';
import { backtestAlertRule } from '../alerting/alert-rules/backtest.service.ts';
import type { RuleName } from '../alerting/rules/catalog.gen.ts';
import { syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { systemActor } from '../identity/audit/audit.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { DAY_MS, MINUTE_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { ensureTables } from '../store/layout/tables.ts';
import type { Row } from '../store/layout/types.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const TABLES = Number(process.argv[2] ?? 100);
const SESSIONS = Number(process.argv[3] ?? 50);
const DAYS = 30;
const KEPT_DAYS = 7;
const INTERVAL_MS = 5 * MINUTE_MS;
const READS = 3;

const declared = new Map<string, Probe>(probes.map((probe) => [probe.name, probe]));
const many = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_none, n) => of(n));

const session = (pid: number, at: number): Row => ({
  pid: pid + 1,
  backend_type: 'client backend',
  state: pid % 5 === 0 ? 'active' : 'idle in transaction',
  xact_start: new Date(at - pid * 1000).toISOString(),
  query: `select * from some_table_${pid} where id = $1`,
});
const table = (n: number, run: number): Row => ({
  relid: 16_384 + n,
  schemaname: 'public',
  relname: `table_${n}`,
  n_live_tup: 100_000 + n,
  n_dead_tup: (run * (n + 3) * 17) % 40_000,
});

/** What each probe finds in a run every five minutes. */
const found = (run: number): [probe: string, database_name: string, rows: Row[]][] => [
  ['pg_sys_cpu_usage_info', '', [{ processor_time_percent: (run * 7) % 100 }]],
  ['pg_stat_database', 'shop', [{ datname: 'shop', deadlocks: Math.floor(run / 500) }]],
  ['pg_stat_all_tables', 'shop', many(TABLES, (n) => table(n, run))],
];

async function fill(db: Database, begin: number, end: number): Promise<void> {
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connection */
    insert into matriarch.connections
      (id, owner_id, name, host, port, database_name, username, is_monitored, created_at)
    values (1, 1, 'server', 'db.example.com', 5432, 'postgres', 'matriarch', true, now() - interval '1 year')`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const add = (name: string, at: number, of: { database_name: string; rows: Row[] }) => {
    const probe = declared.get(name);
    if (probe) writer.add(keptRun(probe, { connection_id: 1, at, server_instance: 'a', ...of }));
  };
  for (let at = begin, run = 0; at < end; at += INTERVAL_MS, run += 1) {
    for (const [name, database_name, rows] of found(run)) add(name, at, { database_name, rows });
    if (end - at <= KEPT_DAYS * DAY_MS)
      for (const minute of [0, 1, 2, 3, 4]) {
        const moment = at + minute * MINUTE_MS;
        add('pg_stat_activity', moment, {
          database_name: '',
          rows: many(SESSIONS, (pid) => session(pid, moment)),
        });
      }
    if (run % 12 === 11) await writer.flush();
  }
  await writer.stop();
}

async function timed(db: Database, rule: RuleName, threshold: number): Promise<void> {
  const counted = countedDb(db);
  const ctx = {
    ...{ db: counted, log: silentLog, clock: systemClock, signal: new AbortController().signal },
    principal: { ...systemActor('server'), is_superuser: true, admin_permissions: ['*'], scope: undefined },
  };
  const { id } = await db.one<{ id: number }>(sql`/* bench.rule */
    select id from matriarch.alert_rules where name = ${rule}`);
  const times: number[] = [];
  const before = process.cpuUsage();
  let told = '';
  for (let n = 0; n < READS; n += 1) {
    counted.reset();
    const began = systemClock.monotonic();
    const { candidate, things, read, coverage } = await backtestAlertRule(ctx, id, {
      ...{ scope: 'server', scope_id: 1, operator: '>', threshold, severity: 'warning', days: DAYS },
    });
    times.push(systemClock.monotonic() - began);
    const tiers = read.map(({ tier, resolution_seconds }) => `${tier}/${resolution_seconds} s`).join(' + ');
    told = `${things} things, ${candidate.fired} fired, ${tiers}, ${(100 * coverage).toFixed(0)} % measured`;
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1000 / READS).toFixed(0);
  const [first, ...rest] = times.map((time) => time.toFixed(0));
  print(
    `  ${rule.padEnd(26)} ${first} ms, then ${rest.join(', ')} ms (${cpu} ms of a processor each), ${counted.sent.length} statements; ${told}`,
  );
}

async function run(db: Database): Promise<void> {
  const began = systemClock.monotonic();
  await syncProbeConfigs(db, probes);
  await syncAlertRules(db);
  await ensureTables(db, probes);
  const end = Math.floor(systemClock.now() / INTERVAL_MS) * INTERVAL_MS;
  // What is older than its retention is not taken; once all of it is rolled up, samples are kept as declared again.
  await db.run(sql`/* bench.keep */ update matriarch.probe_configs set retention_days = ${DAYS + 1}`);
  await db.run(
    sql`/* bench.longest */ update matriarch.metric_tables set longest_retention_days = ${DAYS + 1}`,
  );
  await fill(db, end - DAYS * DAY_MS, end);
  const report = await runCompaction({ db, layouts: probes.flatMap((probe) => layoutOf(probe) ?? []) });
  if (report.problems.length > 0) throw new Error(report.problems.join(' '));
  await db.run(sql`/* bench.keep_less */ update matriarch.probe_configs set retention_days = null`);
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(0);
  print(`${DAYS} days of a server with ${TABLES} tables and ${SESSIONS} sessions, made in ${seconds} s`);
  await timed(db, 'cpu_usage_high', 80);
  await timed(db, 'deadlocks_detected', 0);
  await timed(db, 'idle_in_transaction', 40);
  await timed(db, 'session_count_anomaly', 40);
  await timed(db, 'dead_tuple_ratio', 20);
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, run);
} finally {
  removeRunDirectory(directory);
}
