// What it takes to judge all servers by all checks: CPU time of this process and of the datastore, and statements. The data are what
// the probes read of a real server with tables, indexes and statements, as the writer leaves them, for every server alike.
// Prints figures, judges nothing.
// Run: npm run bench -- findings [servers] [tables]
import process from 'node:process';
import { systemActor } from '../identity/audit/audit.service.ts';
import { checks } from '../insight/checks/catalog.gen.ts';
import { evaluateFindings } from '../insight/findings/evaluate.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { ensureTables } from '../store/layout/tables.ts';
import type { Row } from '../store/layout/types.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { readingsOf } from '../testing/servers/judging.ts';
import { catalog, sessionOn } from '../testing/servers/probing.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { copyToAll } from './copy-servers.ts';
import { print } from './print.ts';
import { ownMs } from './server-cpu.ts';

const SERVERS = Number(process.argv[2] ?? 1000);
const TABLES = Number(process.argv[3] ?? 50);
/** As many as a round takes, and all at once in a few parts. */
const AT_ONCE = [50, 250];

async function readReal(
  directory: string,
): Promise<Map<string, { database_name: string; rows: readonly Row[] }>> {
  const server = await startIn(directory, { settings: { shared_preload_libraries: 'pg_stat_statements' } });
  try {
    await server.query('create extension pg_stat_statements');
    for (let n = 0; n < TABLES; n += 1) {
      await server.query(`create table t${n} (id int primary key, other int, note text)`);
      await server.query(`create index t${n}_a on t${n} (other)`);
      await server.query(`create index t${n}_b on t${n} (other, note)`);
      await server.query(`insert into t${n} select g, g, 'x' from generate_series(1, 100) g`);
    }
    await server.query('vacuum analyze');
    const session = await sessionOn(server);
    const { readings } = await readingsOf(
      session,
      catalog.map(({ name }) => name),
    );
    await session.client.close();
    return new Map(
      [...readings].flatMap(([name, [one]]) =>
        one ? [[name, { database_name: one.database_name, rows: one.rows }] as const] : [],
      ),
    );
  } finally {
    await server.stop();
  }
}

async function writeOne(db: Database, read: Awaited<ReturnType<typeof readReal>>): Promise<number> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  const at = systemClock.now() - 10_000;
  let count = 0;
  for (const probe of catalog) {
    const found = read.get(probe.name);
    if (!found) continue;
    const { database_name, rows } = found;
    count += rows.length;
    const keys = probe.columns.filter(({ kind }) => kind === 'key').map(({ name }) => name);
    const history_by = probe.keeps === 'change-tracked' ? keys : undefined;
    const outcome = { kind: 'ran', collected_at: at, rows, history_by } as const;
    const run = {
      connection_id: 1,
      epoch: 1,
      probe: probe.name,
      database_name,
      attempted_at: at,
      took_ms: 1,
    };
    writer.add({ ...run, server_instance: 'a', outcome });
  }
  await writer.stop();
  return count;
}

/** CPU time of the sessions of this bench so far; the pool keeps them. */
async function datastoreMs(db: Database): Promise<number> {
  const sessions = await db.rows<{ pid: number }>(sql`/* bench.sessions */
    select pid from pg_stat_activity where application_name = 'bench' and datname = current_database()`);
  return sessions.reduce((sum, { pid }) => sum + ownMs(pid), 0);
}

async function evaluateAll(db: Database, most: number): Promise<void> {
  const counted = countedDb(db);
  const ctx = {
    db: counted,
    log: silentLog,
    clock: systemClock,
    signal: new AbortController().signal,
    principal: { ...systemActor('server'), is_superuser: true, admin_permissions: ['*'], scope: undefined },
  };
  for (const state of ['everything is new', 'nothing has changed']) {
    counted.reset();
    const there = await datastoreMs(db);
    const [began, cpu] = [systemClock.monotonic(), process.cpuUsage()];
    let written = 0;
    for (let from = 1; from <= SERVERS; from += most) {
      const servers = Array.from({ length: Math.min(most, SERVERS - from + 1) }, (_none, n) => ({
        connection_id: from + n,
        cluster_id: null,
      }));
      written += (await evaluateFindings(ctx, { servers })).written;
    }
    const { user, system } = process.cpuUsage(cpu);
    const took = systemClock.monotonic() - began;
    const each = counted.sent.length / checks.length;
    const datastore = (await datastoreMs(db)) - there;
    print(
      `  ${String(most).padStart(4)} at once, ${state.padEnd(20)} ${((user + system) / 1e6).toFixed(2)} s of CPU here and ${(datastore / 1000).toFixed(2)} s of the datastore, ${(took / 1000).toFixed(2)} s in all; ${counted.sent.length} statements (${each.toFixed(1)} a check), ${written} findings written, ${(process.memoryUsage().rss / 1024 ** 2).toFixed(0)} MiB`,
    );
  }
  await db.run(sql`/* bench.clear */ truncate matriarch.findings, matriarch.finding_runs cascade`);
}

async function run(db: Database, read: Awaited<ReturnType<typeof readReal>>): Promise<void> {
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  await ensureTables(db, probes);
  const rows = await writeOne(db, read);
  await copyToAll(db, SERVERS);
  print(`${SERVERS} servers, ${rows} rows of each; ${checks.length} checks`);
  for (const most of AT_ONCE) await evaluateAll(db, most);
}

const directory = makeRunDirectory();
try {
  const read = await readReal(directory);
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, (db) => run(db, read));
} finally {
  removeRunDirectory(directory);
}
