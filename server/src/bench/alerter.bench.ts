// P10: how long a round of the alerter takes over a thousand servers: all rules at once, as after a start; what is new of a
// twentieth of them; nothing new; and a disk that fills up everywhere. Data are as the collector and the writer leave them.
// Prints figures, judges nothing.
// Run: npm run bench -- alerter [servers]
import process from 'node:process';
import { ALERTER_JOB } from '../alerter/alerter.ts';
import { evaluate } from '../alerter/evaluate.ts';
import { Memory } from '../alerter/memory.ts';
import { knownRules, syncAlertRules } from '../areas/alert-rules/alert-rules.service.ts';
import { systemActor } from '../areas/audit/audit.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database, Db } from '../kernel/db.ts';
import { claimJob } from '../kernel/jobs.queries.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Probe } from '../probes/types.ts';
import { ensureTables } from '../store/layout/tables.ts';
import type { Row } from '../store/layout/types.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { countedDb } from '../testing/store/counted-db.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';

const SERVERS = Number(process.argv[2] ?? 1000);
const [DATABASES, SESSIONS, TABLES, STATEMENTS] = [3, 20, 50, 100];
const MINUTE_MS = 60_000;
const ROUNDS = 5;

const print = (line: string) => process.stdout.write(`${line}\n`);
const many = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_none, n) => of(n));
const declared = new Map<string, Probe>(probes.map((probe) => [probe.name, probe]));

/** What one run of each judged probe of a server that is well finds; the n-th of them. */
function found(n: number, now: number): [probe: string, perDatabase: boolean, rows: Row[]][] {
  const time = new Date(now - 1000).toISOString();
  const session = { backend_type: 'client backend', datname: 'shop', state: 'idle', state_change: time };
  const table = { schemaname: 'public', n_live_tup: 10_000, n_dead_tup: 10 * n, vacuum_threshold: 2050 };
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
      many(3, (d) => ({ mount_point: `/d${d}`, total_space: 100, used_space: 50 })),
    ],
    ['pg_sys_cpu_usage_info', false, [{ processor_time_percent: 20 }]],
    ['pg_sys_cpu_info', false, [{ logical_processor: 8 }]],
    ['pg_sys_memory_info', false, [{ total_memory: 100, used_memory: 50 }]],
    ['pg_sys_load_avg_info', false, [{ load_avg_fifteen_minutes: 1 }]],
    ['pg_settings', false, [{ name: 'max_connections', setting: '100', pending_restart: false }]],
    ['pg_server_info', false, [{ max_connections: 100, usable_connections: 97 }]],
    ['pg_wraparound', false, many(DATABASES, (d) => ({ datname: `d${d}`, xid_percent: 5, mxid_percent: 1 }))],
    ['pg_wal_directory', false, [{ archive_oldest_ready_time: null }]],
    ['pg_sequence_usage', true, many(TABLES, (id) => ({ seqrelid: id + 1, exhausted_percent: n }))],
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

/** Of one server, three times in ten minutes. */
async function writeOne(db: Database, now: number): Promise<void> {
  const writer = new MetricsWriter({ db, log: silentLog, clock: systemClock, probes });
  for (const n of [1, 2, 3]) {
    const at = now - (3 - n) * 5 * MINUTE_MS - 10_000;
    for (const [name, perDatabase, rows] of found(n, at)) {
      const probe = declared.get(name);
      if (!probe) throw new Error(`there is no probe ${name}`);
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

/** All other servers have the same, in every table of metrics that has something. */
async function copyToAll(db: Database): Promise<void> {
  await db.run(sql`/* bench.copy */
    do $$
    declare
      own text;
      listed text;
    begin
      for own in
        select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'metrics' and c.relkind in ('r', 'p') and not c.relispartition
          and exists (
            select from pg_attribute a where a.attrelid = c.oid and a.attname = 'connection_id' and not a.attisdropped
          )
      loop
        select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into listed
        from pg_attribute a
        where a.attrelid = to_regclass(format('metrics.%I', own)) and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '' and a.attname <> 'connection_id';
        execute format(
          'insert into metrics.%1$I (connection_id, %2$s)
          select others.n, %2$s from metrics.%1$I t
          cross join (select id as n from matriarch.connections where id > 1) others
          where t.connection_id = 1 on conflict do nothing', own, listed);
      end loop;
    end $$`);
  await db.run(sql`/* bench.vacuum */ vacuum (analyze)`);
}

interface Rounds {
  epoch: number;
  memory: Memory;
}

async function timed(
  db: Database,
  name: string,
  { rounds, before }: { rounds: Rounds; before: () => Promise<unknown> },
): Promise<void> {
  const counted = countedDb(db);
  const times: number[] = [];
  let told = '';
  for (let n = 0; n < ROUNDS; n += 1) {
    await before();
    counted.reset();
    const began = systemClock.monotonic();
    const { rules, readings, fired, cleared } = await round(counted, rounds);
    times.push(systemClock.monotonic() - began);
    told = `${rules} rules, ${readings} values that may matter, ${fired} fired, ${cleared} cleared`;
  }
  times.sort((a, b) => a - b);
  const [p50, most] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0];
  print(
    `  ${name.padEnd(34)} p50 ${p50.toFixed(0).padStart(6)} ms, most ${most.toFixed(0).padStart(6)} ms, ${counted.sent.length} statements; ${told}`,
  );
}

const round = (db: Db, { epoch, memory }: Rounds) =>
  evaluate(
    {
      db,
      log: silentLog,
      clock: systemClock,
      signal: new AbortController().signal,
      principal: { ...systemActor('server'), is_superuser: true, admin_permissions: ['*'], scope: undefined },
    },
    {
      memory,
      lease: { name: ALERTER_JOB, epoch },
      blackouts: { covers: () => undefined },
      onWritten: async () => undefined,
      now: systemClock.now(),
    },
  );

/** As if every n-th server had brought new samples just now. */
const renew = (db: Database, share: number) =>
  db.run(sql`/* bench.renew */
    update metrics.current_snapshots set collected_at = collected_at + interval '1 millisecond'
    where connection_id % ${share}::int = 0`);

async function run(db: Database): Promise<void> {
  await db.run(sql`/* bench.owner */ insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`/* bench.connections */
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    select n, 1, 'server-' || n, 'db' || n || '.example.com', 5432, 'postgres', 'matriarch', true
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`/* bench.lease */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (1, 'bench', 1, now() + interval '1 hour')`);
  await ensureTables(db, probes);
  await syncAlertRules(db);
  await writeOne(db, systemClock.now());
  await copyToAll(db);
  const claim = { name: ALERTER_JOB, owner: 'bench', every_seconds: 0, lease_seconds: 3600 };
  const { epoch } = await db.one<{ epoch: number }>(claimJob(claim));
  const rounds: Rounds = { epoch, memory: new Memory() };
  const forget = async () => {
    rounds.memory = new Memory();
  };
  print(
    `${SERVERS} servers of ${DATABASES} databases with ${TABLES} tables and ${STATEMENTS} statements each, ${SESSIONS} sessions; ${knownRules.size} rules; ${ROUNDS} rounds`,
  );
  await timed(db, 'all rules, all servers', { rounds, before: forget });
  await timed(db, 'a twentieth of the servers is new', { rounds, before: () => renew(db, 20) });
  await timed(db, 'nothing is new', { rounds, before: async () => undefined });
  await db.run(sql`/* bench.fill */
    update metrics.current_snapshots
    set rows = jsonb_set(rows, '{0,used_space}', '90'), collected_at = collected_at + interval '10 milliseconds'
    where probe = 'pg_sys_disk_info'`);
  await timed(db, 'a disk fills up on every server', {
    rounds,
    before: async () => {
      await db.run(sql`/* bench.clear */ delete from matriarch.alerts`);
      await forget();
    },
  });
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB' }, run);
} finally {
  removeRunDirectory(directory);
}
