// P8: how long the answers of /metrics/query take over 1 h, 24 h, 7 d and 30 d on a store that the writer and compaction made,
// for one series, a screen of thirty tables asked at once, sessions and statements, and what a screen asks at once over HTTP.
// Beside it the plain way against the same datastore: the same samples as rows of a table with an index, increases by lag(),
// buckets by date_bin(). Prints figures, judges nothing.
// The load of the server is of as many days as statements are. Of P8 it says what was wanted, and whether it was reached.
// Run: npm run bench -- metrics [tables] [days] [statements] [servers] [days of statements]
// P8 as a whole: npm run bench -- metrics 300 30 5000 20 30 (made in minutes; MATRIARCH_BENCH_KEEP keeps it for the next run)
import process from 'node:process';
import { activeSessions } from '../history/performance/active-sessions.ts';
import { statementDetail } from '../history/performance/statement-detail.ts';
import { totals } from '../history/performance/totals.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import type { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../kernel/units.ts';
import { metricOf } from '../probes/metrics.ts';
import { probe as activity } from '../probes/pg-stat-activity.ts';
import { probe as tables } from '../probes/pg-stat-all-tables.ts';
import { probe as database } from '../probes/pg-stat-database.ts';
import { probe as statements } from '../probes/pg-stat-statements.ts';
import type { Probe } from '../probes/types.ts';
import { metricBuckets } from '../store/read/metric.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { type CountedDb, countedDb } from '../testing/store/counted-db.ts';
import { filledBefore, noteFilled, withBenchDatastore } from './bench-datastore.ts';
import { BESIDE, besideCollector } from './collector-beside.ts';
import { type Filling, fill, INTERVAL_MS, SESSIONS, statementRow } from './metrics-fill.ts';
import { print } from './print.ts';
import { requestsAtOnce } from './requests-at-once.ts';
import { timed, WANTED } from './timed-reads.ts';

const TABLES = Number(process.argv[2] ?? 100);
const DAYS = Number(process.argv[3] ?? 7);
const STATEMENTS = Number(process.argv[4] ?? 0);
const SERVERS = Number(process.argv[5] ?? 4);
/** Of statements, sessions and active sessions. */
const RECENT_DAYS = Number(process.argv[6] ?? 1);
const AT_ONCE = 30;
const BUCKETS = 150;
const WINDOWS = { '1 h': HOUR_MS, '24 h': DAY_MS, '7 d': 7 * DAY_MS, '30 d': 30 * DAY_MS };

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

async function run(db: Database, url: Secret): Promise<void> {
  const began = systemClock.monotonic();
  const kept = await filledBefore(db);
  const end = kept ?? Math.floor(systemClock.now() / INTERVAL_MS) * INTERVAL_MS;
  const of: Filling = {
    tables: TABLES,
    days: DAYS,
    statements: STATEMENTS,
    servers: SERVERS,
    recentDays: RECENT_DAYS,
    begin: end - DAYS * DAY_MS,
    end,
  };
  if (kept === undefined) {
    await fill(db, of);
    await noteFilled(db, end);
  }
  const seconds = ((systemClock.monotonic() - began) / 1000).toFixed(0);
  print(`${DAYS} days of ${TABLES} tables and ${SERVERS} servers made in ${seconds} s; ${BUCKETS} buckets`);
  for (let round = 1; round <= 2; round += 1) {
    print('A: all windows');
    await reads(countedDb(db), end);
    // What was filled a while ago has no last hour for a screen to show.
    if (kept !== undefined) continue;
    print('B: what a screen asks at once');
    print(await requestsAtOnce(db));
    print(`C: the same beside a collector of ${BESIDE} connections in this process`);
    print(await besideCollector({ db, url, directory }, () => requestsAtOnce(db)));
  }
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, run);
} finally {
  removeRunDirectory(directory);
}
