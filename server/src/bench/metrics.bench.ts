// P8: how long the answers of /metrics/query take over 1 h, 24 h, 7 d and 30 d on a store that the writer and compaction made,
// for one series, a screen of thirty tables asked at once, sessions and statements, and what a screen asks at once over HTTP.
// Beside it the plain way against the same datastore: the same samples as rows of a table with an index, increases by lag(),
// buckets by date_bin(). Prints figures, judges nothing.
// The load of the server is of as many days as statements are. Of P8 it says what was wanted, and whether it was reached.
// Run: npm run bench -- metrics [tables] [days] [statements] [servers] [days of statements]
// P8 as a whole: npm run bench -- metrics 300 30 5000 20 30 (takes hours to make)
import process from 'node:process';
import { systemClock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { metricOf } from '../probes/metrics.ts';
import { probe as active } from '../probes/pg-active-sessions.ts';
import { probe as activity } from '../probes/pg-stat-activity.ts';
import { probe as tables } from '../probes/pg-stat-all-tables.ts';
import { probe as database } from '../probes/pg-stat-database.ts';
import { probe as statements } from '../probes/pg-stat-statements.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { activeSessions } from '../store/read/active-sessions.ts';
import { metricBuckets } from '../store/read/metric.ts';
import { statementDetail } from '../store/read/statement-detail.ts';
import { totals } from '../store/read/totals.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { type CountedDb, countedDb } from '../testing/store/counted-db.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { requestsAtOnce } from './requests-at-once.ts';
import { timed, WANTED } from './timed-reads.ts';

const TABLES = Number(process.argv[2] ?? 100);
const DAYS = Number(process.argv[3] ?? 7);
const STATEMENTS = Number(process.argv[4] ?? 0);
const SERVERS = Number(process.argv[5] ?? 4);
/** Of statements, sessions and active sessions. */
const RECENT_DAYS = Number(process.argv[6] ?? 1);
const SESSIONS = 50;
const AT_ONCE = 30;
const BUCKETS = 150;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const INTERVAL_MS = 5 * MINUTE_MS;
const DATABASE = 'shop';
const WINDOWS = { '1 h': HOUR_MS, '24 h': DAY_MS, '7 d': 7 * DAY_MS, '30 d': 30 * DAY_MS };
const probes: Probe[] = [database, tables, activity, statements, active];

const print = (line: string) => process.stdout.write(`${line}\n`);

const tableRow = (n: number, run: number) => ({
  relid: 16_384 + n,
  schemaname: 'public',
  relname: `table_${n}`,
  seq_scan: n % 2 === 0 ? run * (n + 1) : n,
  n_tup_ins: n % 2 === 0 ? run * 7 * (n % 13) : n,
  n_live_tup: 1000 * n + run,
  n_dead_tup: (run * (n + 3)) % 500,
  table_size: 8192 * (n + Math.floor(run / 100)),
});

/** One in ten grows in each interval, the first ones more than the last ones. */
const statementRow = (n: number, run: number) => {
  const calls = 100 * Math.floor((run + n) / 10) + n;
  return {
    userid: 10,
    dbid: 5,
    toplevel: true,
    queryid: String(BigInt(n + 1) * 1_000_000_007n),
    username: 'app',
    calls,
    total_exec_time: calls * (1 + n / 100),
    rows: 3 * calls,
    shared_blks_hit: 40 * calls,
    shared_blks_read: calls,
  };
};

const session = (n: number, at: number) => ({
  pid: 1000 + n,
  backend_type: 'client backend',
  state: n % 5 === 0 ? 'active' : 'idle',
  query_start: new Date(at - n * 1000).toISOString(),
  query: `select * from some_table_${n} where id = $1`,
});

/** Ten sessions at work of thirty statements, read every ten seconds. */
function addWorking(writer: MetricsWriter, begin: number): void {
  for (let at = begin; at < begin + INTERVAL_MS; at += 10_000) {
    const n = at / 10_000;
    const rows = Array.from({ length: 10 }, (_none, place) => ({
      state: 'active',
      wait_event_type: place % 3 === 0 ? 'IO' : null,
      wait_event: null,
      datname: DATABASE,
      usename: 'app',
      application_name: `app ${place % 4}`,
      client_addr: '10.0.0.1',
      backend_type: 'client backend',
      query_id: statementRow((place * 3 + (n % 3)) % 30, 0).queryid,
      is_rest: false,
      sessions: 1,
      oldest_xact_seconds: 0,
      oldest_query_seconds: 0,
    }));
    writer.add(keptRun(active, { connection_id: 1, at, rows }));
  }
}

async function fill(db: Database, begin: number, end: number): Promise<void> {
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'c' || n, 'h', 5432, 'd', 'u', true
    from generate_series(1, ${SERVERS}::integer) n`);
  await db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    select n, 'bench', 1, now() + interval '1 day'
    from generate_series(1, ${SERVERS}::integer) n`);
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const common = { server_instance: 'a' };
  for (let at = begin, run = 0; at < end; at += INTERVAL_MS, run += 1) {
    for (let connection_id = 1; connection_id <= SERVERS; connection_id += 1) {
      const row = {
        datname: DATABASE,
        numbackends: run % 40,
        xact_commit: run * 300,
        blks_hit: run * 900,
        blks_read: run,
      };
      writer.add(keptRun(database, { ...common, connection_id, at, database_name: DATABASE, rows: [row] }));
    }
    const rows = Array.from({ length: TABLES }, (_none, n) => tableRow(n, run));
    writer.add(keptRun(tables, { ...common, connection_id: 1, at, database_name: DATABASE, rows }));
    if (end - at <= RECENT_DAYS * DAY_MS) addWorking(writer, at);
    if (end - at <= RECENT_DAYS * DAY_MS && STATEMENTS > 0) {
      const known = Array.from({ length: STATEMENTS }, (_none, n) => statementRow(n, run));
      writer.add(
        keptRun(statements, { ...common, connection_id: 1, at, database_name: DATABASE, rows: known }),
      );
    }
    if (end - at <= DAY_MS)
      for (let minute = 0; minute < 5; minute += 1) {
        const moment = at + minute * MINUTE_MS;
        const sessions = Array.from({ length: SESSIONS }, (_none, n) => session(n, moment));
        writer.add(keptRun(activity, { ...common, connection_id: 1, at: moment, rows: sessions }));
      }
    if (run % 12 === 11) await writer.flush();
  }
  await writer.stop();
}

/** The same commits and scans as rows, the way a program without a store of its own keeps them. */
async function fillPlain(db: Database, begin: number, end: number): Promise<void> {
  await db.run(
    sql`create table public.plain_samples (connection_id int, entity int, at timestamptz, value bigint)`,
  );
  await db.run(sql`
    insert into public.plain_samples
    select 1, n, to_timestamp(${begin}::double precision / 1000) + i * interval '5 minutes',
      case when n < 0 then i * 300 when n % 2 = 0 then i * (n + 1) else n end
    from generate_series(-1, ${TABLES - 1}::integer) n,
      generate_series(0, ${Math.floor((end - begin) / INTERVAL_MS) - 1}::integer) i`);
  await db.run(sql`create index on public.plain_samples (connection_id, entity, at)`);
  await db.run(sql`vacuum analyze public.plain_samples`);
}

function asked(probe: Probe, names: readonly string[], more: { to: number; length: number; table?: number }) {
  const metrics = names.map((name) => {
    const found = metricOf(probe, name);
    if (!found) throw new Error(`there is no metric ${name}`);
    return found;
  });
  const { to, length, table } = more;
  const where = table === undefined ? {} : { where: { relname: `table_${table}` } };
  const window = { from: to - length, to, buckets: BUCKETS };
  return { probe, metrics, connection_ids: [1], aggregate: 'avg', ...window, ...where } as const;
}

const plain = (db: Db, of: { to: number; length: number; entity: number }) => {
  const from = new Date(of.to - of.length).toISOString();
  const width = of.length / BUCKETS / 1000;
  return db.rows(sql`
    select date_bin(make_interval(secs => ${width}::double precision), x.at, ${from}::timestamptz) as bucket,
      sum(greatest(x.value - x.before, 0)) as value
    from (
      select s.at, s.value, lag(s.value) over (order by s.at) as before
      from public.plain_samples s
      where s.connection_id = 1 and s.entity = ${of.entity}
        and s.at > ${from}::timestamptz - interval '13 minutes' and s.at <= ${new Date(of.to).toISOString()}::timestamptz
    ) x
    group by 1
    order by 1`);
};

const screen = Array.from({ length: Math.min(AT_ONCE, TABLES) }, (_none, n) => n);

async function ofStatements(db: CountedDb, { to, length }: { to: number; length: number }): Promise<void> {
  const window = { connection_ids: [1], from: to - length, to };
  const columns = ['calls', 'total_exec_time', 'rows', 'shared_blks_hit', 'shared_blks_read'];
  const all = { ...window, probe: statements, columns, group_by: ['database_name', 'queryid'] };
  print(`  top of ${STATEMENTS} statements        ${await timed(db, () => totals(db, all))}`);
  const ask = () => totals(db, { ...all, compare_from: to - 2 * length });
  print(`    beside the window before    ${await timed(db, ask)}`);
  const one = { connection_id: 1, queryid: statementRow(1, 0).queryid, buckets: BUCKETS };
  const metrics = ['calls', 'total_exec_time', 'rows'].flatMap((name) => metricOf(statements, name) ?? []);
  const of = {
    ...one,
    metrics,
    from: to - length,
    to,
    compare_from: to - 2 * length,
    waits_from: to - HOUR_MS,
  };
  print(`  one statement                 ${await timed(db, () => statementDetail(db, of))}`);
}

async function reads(db: CountedDb, to: number): Promise<void> {
  for (const [name, length] of Object.entries(WINDOWS)) {
    if (length > DAYS * DAY_MS) continue;
    const of = { to, length };
    const ask = (probe: Probe, metrics: string[], table?: number) =>
      metricBuckets(db, asked(probe, metrics, { ...of, ...(table !== undefined && { table }) }));
    print(name);
    print(
      `  one counter of a server       ${await timed(db, () => ask(database, ['xact_commit']), WANTED[name])}`,
    );
    print(`    as rows                     ${await timed(db, () => plain(db, { ...of, entity: -1 }))}`);
    const many = ['xact_commit_per_sec', 'numbackends', 'cache_hit_ratio', 'rollback_percent', 'deadlocks'];
    print(`  five metrics of a server      ${await timed(db, () => ask(database, many))}`);
    print(`  one counter of a table        ${await timed(db, () => ask(tables, ['seq_scan'], 2))}`);
    print(`    as rows                     ${await timed(db, () => plain(db, { ...of, entity: 2 }))}`);
    print(
      `  ${screen.length} tables at once, all of them ${await timed(db, () => Promise.all(screen.map((n) => ask(tables, ['seq_scan', 'dead_tuple_ratio'], n))))}`,
    );
    if (length <= RECENT_DAYS * DAY_MS && STATEMENTS > 0) await ofStatements(db, of);
    if (length <= RECENT_DAYS * DAY_MS)
      for (const split of ['wait_class', 'statement'] as const) {
        const window = { connection_id: 1, split, from: to - length, to, buckets: BUCKETS };
        print(`  load by ${split.padEnd(21)} ${await timed(db, () => activeSessions(db, window))}`);
      }
    if (length <= DAY_MS)
      print(
        `  ${SESSIONS} sessions, blocked and active ${await timed(db, () => ask(activity, ['blocked_count', 'active_count']))}`,
      );
  }
}

async function run(db: Database): Promise<void> {
  const end = Math.floor(systemClock.now() / INTERVAL_MS) * INTERVAL_MS;
  const begin = end - DAYS * DAY_MS;
  const began = systemClock.monotonic();
  await fill(db, begin, end);
  await fillPlain(db, begin, end);
  // What a collector makes of all probes.
  await ensureTables(db, catalog);
  const report = await runCompaction({ db, layouts: probes.flatMap((probe) => layoutOf(probe) ?? []) });
  if (report.problems.length > 0) throw new Error(report.problems.join(' '));
  await db.run(sql`analyze`);
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(0);
  print(`${DAYS} days of ${TABLES} tables and ${SERVERS} servers made in ${seconds} s; ${BUCKETS} buckets`);
  for (const round of ['A', 'B', 'A', 'B']) {
    print(round === 'A' ? 'A: all windows' : 'B: what a screen asks at once');
    if (round === 'A') await reads(countedDb(db), end);
    else print(await requestsAtOnce(db));
  }
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, run);
} finally {
  removeRunDirectory(directory);
}
