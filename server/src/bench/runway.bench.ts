// How long it takes to read what runs out on a thousand servers: a month of rollups by the hour, of disks, sequences, ids, slots,
// tablespaces and connections, as compaction leaves them. Prints figures, judges nothing.
// Run: npm run bench -- runway [servers]
import process from 'node:process';
import { readRunway } from '../history/runway/runway.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import type { Row } from '../store/layout/types.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { copyToAll } from './copy-servers.ts';
import { print } from './print.ts';

const SERVERS = Number(process.argv[2] ?? 1000);
const READS = 3;
const HOURS = 30 * 24;
const SEQUENCES = 20;

const named = (prefix: string, count: number, row: (name: string, n: number) => Row): Row[] =>
  Array.from({ length: count }, (_none, n) => row(`${prefix}${n}`, n));

/** What each probe finds in that hour. */
const ROWS: Readonly<Record<string, (hour: number) => Row[]>> = {
  pg_sys_disk_info: (hour) =>
    named('/disk', 3, (mount_point) => ({
      ...{
        mount_point,
        total_space: 2e12,
        used_space: 3e11 + hour * 1.5e9,
        free_space: 1.7e12 - hour * 1.5e9,
      },
    })),
  pg_tablespace: (hour) =>
    named('space', 3, (spcname) => ({ spcname, tablespace_size_bytes: 1e11 + hour * 1e7 })),
  pg_wraparound: (hour) =>
    named('database', 5, (datname) => ({
      ...{ datname, xid_age: 3e8 + hour * 1e5, mxid_age: 1e6, autovacuum_freeze_max_age: 2e8 },
      autovacuum_multixact_freeze_max_age: 4e8,
    })),
  pg_sequence_usage: (hour) =>
    named('sequence', SEQUENCES, (sequencename, seqrelid) => ({
      ...{ seqrelid, schemaname: 'public', sequencename, exhausted_percent: seqrelid + hour / 100 },
    })),
  pg_replication_slots: (hour) =>
    named('slot', 2, (slot_name) => ({ slot_name, retained_bytes: 1e9 + hour * 1e6, safe_wal_size: 1e10 })),
  pg_stat_database: (hour) => named('database', 5, (datname) => ({ datname, numbackends: 8 + (hour % 5) })),
};
const PROBES = probes.filter(({ name }) => ROWS[name] !== undefined);

async function writeOne(db: Database, now: number): Promise<void> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes: PROBES });
  for (let hour = 0; hour <= HOURS; hour += 1) {
    for (const probe of PROBES) {
      const at = now - (HOURS - hour) * HOUR_MS;
      const rows = ROWS[probe.name]?.(hour) ?? [];
      writer.add(keptRun(probe, { connection_id: 1, at, rows, server_instance: 'a' }));
    }
    if (hour % 50 === 49) await writer.flush();
  }
  await writer.stop();
  const layouts = PROBES.flatMap((probe) => layoutOf(probe) ?? []);
  const { problems } = await runCompaction({ db, layouts, now });
  if (problems.length > 0) throw new Error(problems.join(' '));
}

async function run(db: Database): Promise<void> {
  const now = systemClock.now();
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  await writeOne(db, now);
  await copyToAll(db, SERVERS);
  const connection_ids = Array.from({ length: SERVERS }, (_none, n) => n + 1);
  const counted = countedDb(db);
  for (let n = 0; n < READS; n += 1) {
    counted.reset();
    const [began, cpu] = [systemClock.monotonic(), process.cpuUsage()];
    const rows = await readRunway(counted, { connection_ids, now });
    const took = systemClock.monotonic() - began;
    const { user, system } = process.cpuUsage(cpu);
    const dated = rows.filter(({ trend }) => trend.state === 'runs_out').length;
    print(
      `  ${SERVERS} servers: ${took.toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of CPU here, ${counted.sent.length} statements, ${rows.length} rows, ${dated} with a date`,
    );
  }
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, run);
} finally {
  removeRunDirectory(directory);
}
