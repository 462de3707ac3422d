// What a thousand servers leave in the datastore for the alerter to judge: one of them as the collector, the writer and
// compaction leave it, with a day of statements before, and the others a copy of it.
import { syncAlertRules } from '../alerting/alert-rules/alert-rules.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { MINUTE_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import { compactNow } from '../store/compact/job.ts';
import { ensureTables } from '../store/layout/tables.ts';
import type { Row } from '../store/layout/types.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { copyToAll } from './copy-servers.ts';

export const [DATABASES, SESSIONS, TABLES, STATEMENTS] = [3, 20, 50, 100];
/** Of five minutes each. */
const DAY_OF_RUNS = 27 * 12;

const many = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_none, n) => of(n));
const declared = new Map<string, Probe>(probes.map((probe) => [probe.name, probe]));

/** What one run of each judged probe of a server that is well finds; the n-th of them. */
function found(n: number, now: number): [probe: string, perDatabase: boolean, rows: Row[]][] {
  const time = new Date(now - 1000).toISOString();
  const session = { backend_type: 'client backend', datname: 'shop', state: 'idle', state_change: time };
  const table = { schemaname: 'public', n_live_tup: 10_000, n_dead_tup: n, vacuum_threshold: 2050 };
  const statement = { userid: 10, dbid: 5, toplevel: true, calls: 1000 * n, total_exec_time: 4000 * n };
  return [
    ['pg_connectivity', false, [{ response_time_ms: 0.4 }]],
    ['pg_stat_activity', false, many(SESSIONS, (pid) => ({ ...session, pid }))],
    ['pg_stat_replication', false, [{ role: 'primary', pid: 7, application_name: 's1', lag_bytes: 9000 }]],
    ['pg_replication_slots', false, [{ slot_name: 's1', active: true, retained_bytes: 9000 }]],
    ['pg_node_role', false, [{ active_subscription_count: 0, subscription_count: 0 }]],
    ['pg_database', false, many(DATABASES, (d) => ({ datname: `d${d}`, age_datfrozenxid: 1e6 }))],
    ['pg_stat_checkpointer', false, [{ num_requested: n }]],
    ['pg_stat_wal', false, [{ failed_count: 0 }]],
    [
      'pg_sys_disk_info',
      false,
      many(3, (d) => ({ mount_point: `/d${d}`, total_space: 100, used_space: 50, free_space: 50 })),
    ],
    ['pg_sys_cpu_usage_info', false, [{ processor_time_percent: 20 }]],
    ['pg_sys_cpu_info', false, [{ logical_processor: 8 }]],
    ['pg_sys_memory_info', false, [{ total_memory: 100, used_memory: 50 }]],
    ['pg_sys_load_avg_info', false, [{ load_avg_fifteen_minutes: 1 }]],
    ['pg_settings', false, [{ name: 'max_connections', setting: '100', pending_restart: false }]],
    ['pg_server_info', false, [{ max_connections: 100, usable_connections: 97 }]],
    ['pg_wraparound', false, many(DATABASES, (d) => ({ datname: `d${d}`, xid_percent: 5, mxid_percent: 1 }))],
    ['pg_wal_directory', false, [{ archive_oldest_ready_time: null }]],
    ['pg_sequence_usage', true, many(TABLES, (id) => ({ seqrelid: id + 1, exhausted_percent: n % 10 }))],
    ['pg_index_health', true, many(TABLES, (id) => ({ object_oid: id + 1, finding: 'unused' }))],
    ['pg_stat_database', true, [{ blks_hit: 1e6 * n, blks_read: n, temp_files: 0, deadlocks: 0 }]],
    [
      'pg_stat_all_tables',
      true,
      many(TABLES, (relid) => ({ ...table, relid: relid + 1, relname: `t${relid}` })),
    ],
    ['pg_stat_statements', true, many(STATEMENTS, (id) => ({ ...statement, queryid: String(id + 1) }))],
  ];
}

/** Of one server: statements over a day, everything else three times in ten minutes. */
async function writeOne(db: Database, now: number): Promise<void> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  for (let n = 1; n <= DAY_OF_RUNS; n += 1) {
    const at = now - (DAY_OF_RUNS - n) * 5 * MINUTE_MS - 10_000;
    const isNew = n > DAY_OF_RUNS - 3;
    for (const [name, perDatabase, rows] of found(n, at)) {
      const probe = declared.get(name);
      if (!probe) throw new Error(`there is no probe ${name}`);
      if (!isNew && name !== 'pg_stat_statements') continue;
      const keys = probe.columns.filter(({ kind }) => kind === 'key').map((column) => column.name);
      const history_by = 'keeps' in probe && probe.keeps === 'change-tracked' ? keys : undefined;
      for (const database_name of perDatabase ? many(DATABASES, (d) => `d${d}`) : ['']) {
        const run = keptRun(probe, { connection_id: 1, at, database_name, rows, server_instance: 'a' });
        writer.add({ ...run, outcome: { kind: 'ran', collected_at: at, rows, history_by } });
      }
    }
    await writer.flush();
  }
  await writer.stop();
}

/** What no rule reads: finer rollups, and hours that are packed. */
const UNREAD = /__(m1|m15|packed)$/;

/** So many servers that are watched, and what is stored of them. */
export async function makeEstate(db: Database, servers: number): Promise<void> {
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${servers}::int) n`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  await ensureTables(db, probes);
  await syncAlertRules(db);
  await writeOne(db, systemClock.now());
  await compactNow({ db, probes });
  await copyToAll(db, servers, UNREAD);
}
