// What the benches of metrics read: a server of tables, statements, sessions and sessions at work as the writer and compaction
// leave it, days and servers beyond as copies of it, and the plain way beside it. Guards: everything is kept as long as the bench is of, so
// that a window of a month holds a month of samples.
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/units.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { probe as active } from '../probes/pg-active-sessions.ts';
import { probe as activity } from '../probes/pg-stat-activity.ts';
import { probe as tables } from '../probes/pg-stat-all-tables.ts';
import { probe as database } from '../probes/pg-stat-database.ts';
import { probe as statements } from '../probes/pg-stat-statements.ts';
import type { Probe } from '../probes/types.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { copyDays } from './copy-days.ts';
import { copyToAll } from './copy-servers.ts';

export const INTERVAL_MS = 5 * MINUTE_MS;
const DATABASE = 'shop';
export const SESSIONS = 50;
const probes: Probe[] = [database, tables, activity, statements, active];

export interface Filling {
  tables: number;
  days: number;
  statements: number;
  servers: number;
  /** Of statements and sessions at work. */
  recentDays: number;
  /** Milliseconds since the epoch; the first run is at `begin`, the last before `end`. */
  begin: number;
  end: number;
}

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
export const statementRow = (n: number, run: number) => {
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

async function addServers(db: Database, { servers, days }: Filling): Promise<void> {
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'c' || n, 'h', 5432, 'd', 'u', true
    from generate_series(1, ${servers}::integer) n`);
  await db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    select n, 'bench', 1, now() + interval '1 day'
    from generate_series(1, ${servers}::integer) n`);
  for (const { name, intervalSeconds, retentionDays } of probes)
    await db.run(sql`
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days, retention_days)
      values (${name}, ${intervalSeconds}, ${retentionDays}, ${Math.max(days + 1, retentionDays)}::integer)`);
}

/** What the collector reads of the first server in five minutes; the n-th of them. */
function addRun(writer: MetricsWriter, of: Filling & { at: number; run: number }): void {
  const { at, run, end } = of;
  const common = { server_instance: 'a', connection_id: 1, at, database_name: DATABASE };
  const numbers = { numbackends: run % 40, xact_commit: run * 300, blks_hit: run * 900, blks_read: run };
  writer.add(keptRun(database, { ...common, rows: [{ datname: DATABASE, ...numbers }] }));
  const rows = Array.from({ length: of.tables }, (_none, n) => tableRow(n, run));
  writer.add(keptRun(tables, { ...common, rows }));
  if (end - at <= of.recentDays * DAY_MS) {
    addWorking(writer, at);
    const known = Array.from({ length: of.statements }, (_none, n) => statementRow(n, run));
    if (known.length > 0) writer.add(keptRun(statements, { ...common, rows: known }));
  }
  if (end - at > DAY_MS) return;
  for (let minute = 0; minute < 5; minute += 1) {
    const moment = at + minute * MINUTE_MS;
    const sessions = Array.from({ length: SESSIONS }, (_none, n) => session(n, moment));
    writer.add(keptRun(activity, { server_instance: 'a', connection_id: 1, at: moment, rows: sessions }));
  }
}

async function compact(db: Database, now?: number): Promise<void> {
  const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
  const report = await runCompaction({ db, layouts, ...(now !== undefined && { now }) });
  if (report.problems.length > 0) throw new Error(report.problems.join(' '));
}

/** So many days go through the writer; those before are copies of the last whole one of them. */
const WRITTEN_DAYS = 2;

async function fillDaysBefore(db: Database, { begin, end, recentDays }: Filling): Promise<void> {
  const day = Math.floor(end / DAY_MS) * DAY_MS - DAY_MS;
  const whole = Math.ceil((day - begin) / DAY_MS);
  for (const [probe, days] of [
    [database, whole],
    [tables, whole],
    [statements, Math.min(whole, recentDays)],
    [active, Math.min(whole, recentDays)],
  ] as const) {
    const layout = layoutOf(probe);
    if (layout && days > 0) await copyDays(db, { layout, day, days });
  }
}

/** Servers are copies of the first; what it says goes through the writer, and a day later through compaction. */
export async function fill(db: Database, of: Filling): Promise<void> {
  await addServers(db, of);
  // What a collector makes of all probes.
  await ensureTables(db, catalog);
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const begin = Math.max(of.begin, of.end - WRITTEN_DAYS * DAY_MS);
  for (let at = begin, run = 0; at < of.end; at += INTERVAL_MS, run += 1) {
    addRun(writer, { ...of, at, run });
    if (run % 12 === 11) await writer.flush();
    // By the hour in the end, since what lies in rows of a day that is not over hangs on when it was compacted.
    const step = of.end - at <= DAY_MS ? HOUR_MS : DAY_MS;
    if ((at + INTERVAL_MS - begin) % step === 0) await compact(db, at);
  }
  await writer.stop();
  await compact(db);
  if (of.days > WRITTEN_DAYS) await fillDaysBefore(db, of);
  await copyToAll(db, of.servers);
  await fillPlain(db, of);
}

/** The same commits and scans as rows, the way a program without a store of its own keeps them. */
async function fillPlain(db: Database, { begin, end, tables: count }: Filling): Promise<void> {
  await db.run(
    sql`create table public.plain_samples (connection_id int, entity int, at timestamptz, value bigint)`,
  );
  await db.run(sql`
    insert into public.plain_samples
    select 1, n, to_timestamp(${begin}::double precision / 1000) + i * interval '5 minutes',
      case when n < 0 then i * 300 when n % 2 = 0 then i * (n + 1) else n end
    from generate_series(-1, ${count - 1}::integer) n,
      generate_series(0, ${Math.floor((end - begin) / INTERVAL_MS) - 1}::integer) i`);
  await db.run(sql`create index on public.plain_samples (connection_id, entity, at)`);
  await db.run(sql`vacuum analyze public.plain_samples`);
}
