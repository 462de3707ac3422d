// What PostgreSQL 19 calls otherwise or says more of. Its programs are not here everyday (MATRIARCH_TEST_POSTGRES_19), so stand-ins with its columns and types are put
// where its views would be on 18: the statements for 19 are prepared by a real server, and their rows are read as declared.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { probeNamed, runProbe, sessionOn } from '../testing/servers/probing.ts';
import type { Session } from './session.ts';

const PROGRESS = (extra: string) =>
  `select 4711 as pid, 5::oid as datid, 'postgres'::name as datname, ${extra}`;

/** A view of the server with further columns at its end. */
const widened = (view: string, columns: string) => `do $do$
begin
  execute $v$create or replace view pg_catalog.${view} as select v.*, ${columns} from ($v$
    || rtrim(pg_get_viewdef('pg_catalog.${view}'), ';') || ') v';
end
$do$`;

const RESET = `'2026-11-01 00:00:00+00'::timestamptz`;

const STAND_INS = [
  `create view pg_catalog.pg_stat_lock as
   select * from (values ('relation'::text, 7::bigint, 1250.5::float8, 3::bigint, ${RESET}))
     as v (locktype, waits, wait_time, fastpath_exceeded, stats_reset)`,
  `create view pg_catalog.pg_stat_recovery as
   select false as promote_triggered, '0/10'::pg_lsn as last_replayed_read_lsn, '0/20'::pg_lsn as last_replayed_end_lsn,
     1 as last_replayed_tli, '0/20'::pg_lsn as replay_end_lsn, 1 as replay_end_tli, ${RESET} as recovery_last_xact_time,
     ${RESET} as current_chunk_start_time, 'not paused'::text as pause_state`,
  `create view pg_catalog.pg_stat_autovacuum_scores as
   select c.oid as relid, 'pg_catalog'::name as schemaname, c.relname, 'Infinity'::float8 as score, 0.5::float8 as xid_score,
     0::float8 as mxid_score, 1.5::float8 as vacuum_score, 0::float8 as vacuum_insert_score, 2::float8 as analyze_score,
     true as do_vacuum, false as do_analyze, c.relname = 'pg_proc' as for_wraparound
   from pg_catalog.pg_class c where c.relname in ('pg_class', 'pg_proc')`,
  `create view pg_catalog.pg_stat_progress_repack as ${PROGRESS(`1259::oid as relid, 'REPACK'::text as command,
     'seq scanning heap'::text as phase, 0::oid as repack_index_relid, 10::bigint as heap_tuples_scanned,
     0::bigint as heap_tuples_inserted, 0::bigint as heap_tuples_updated, 0::bigint as heap_tuples_deleted,
     200::bigint as heap_blks_total, 50::bigint as heap_blks_scanned, 0::bigint as index_rebuild_count`)}`,
  `create or replace view pg_catalog.pg_stat_progress_cluster as
   select pid, datid, datname, relid, 'VACUUM FULL'::text as command, phase, repack_index_relid as cluster_index_relid,
     heap_tuples_scanned, heap_tuples_inserted as heap_tuples_written, heap_blks_total, heap_blks_scanned, index_rebuild_count
   from pg_catalog.pg_stat_progress_repack`,
  `create view pg_catalog.pg_stat_progress_data_checksums as ${PROGRESS(`'enabling'::text as phase,
     3 as databases_total, 1 as databases_done, 90 as relations_total, 30 as relations_done, 400 as blocks_total,
     100 as blocks_done`)}`,
  // One row each, since nothing of the kind runs here.
  ...[
    ['vacuum', `'aggressive'::text as mode, 'autovacuum_wraparound'::text as started_by`],
    ['analyze', `'manual'::text as started_by`],
    ['basebackup', `'incremental'::text as backup_type`],
  ].map(
    ([view, columns]) => `do $do$
begin
  execute $v$create or replace view pg_catalog.pg_stat_progress_${view} as
    select v.*, ${columns} from (select 1) one left join ($v$
    || rtrim(pg_get_viewdef('pg_catalog.pg_stat_progress_${view}'), ';') || ') v on true';
end
$do$`,
  ),
  `create extension pg_stat_statements`,
  `alter function pg_stat_statements(boolean) rename to of_18`,
  `create or replace view pg_stat_statements as
    select s.*, 3::bigint as generic_plan_calls, 4::bigint as custom_plan_calls from public.of_18(true) s`,
  `create function pg_stat_statements(showtext boolean) returns setof pg_stat_statements language sql
    as 'select s.*, 3::bigint, 4::bigint from public.of_18(showtext) s'`,
  'alter view pg_catalog.pg_stat_subscription_stats rename column sync_error_count to sync_table_error_count',
  widened(
    'pg_stat_subscription_stats',
    '5::bigint as sync_seq_error_count, 6::bigint as confl_update_deleted',
  ),
  widened('pg_replication_slots', `'wal_or_rows_removed'::text as slotsync_skip_reason`),
  widened(
    'pg_stat_replication_slots',
    `8::bigint as mem_exceeded_count, 9::bigint as slotsync_skip_count, ${RESET} as slotsync_last_skip`,
  ),
  widened('pg_stat_wal', '12345::numeric as wal_fpi_bytes'),
  `create function pg_catalog.pg_stat_get_stat_reset_time(oid) returns timestamptz language sql stable as 'select ${RESET.replaceAll("'", "''")}'`,
  ...['pg_stat_all_tables', 'pg_stat_all_indexes', 'pg_statio_all_sequences', 'pg_stat_user_functions'].map(
    (view) => widened(view, `${RESET} as stats_reset`),
  ),
  widened('pg_stat_database_conflicts', `${RESET} as stats_reset`),
];

let server: TestCluster;
let session: Session;
beforeAll(async () => {
  server = await startCluster({
    major: 18,
    settings: {
      ...{ allow_system_table_mods: true, wal_level: 'logical', max_replication_slots: 5 },
      shared_preload_libraries: 'pg_stat_statements',
    },
  });
  for (const statement of STAND_INS) await server.query(statement);
  await server.query('create sequence counted');
  await server.query('create table kept (a int)');
  await server.query('create index unread on kept (a)');
  await server.query(`select pg_create_logical_replication_slot('decoded', 'test_decoding')`);
  for (const [name, slot] of [
    ['far', 'far'],
    ['slotless', 'none'],
  ])
    await server.query(
      `create subscription ${name} connection 'dbname=nowhere' publication none with (connect = false, slot_name = ${slot})`,
    );
  session = await sessionOn(server);
  session.capabilities = { ...session.capabilities, version_num: 190_000 };
});
afterAll(async () => {
  await session.client.close();
  await server.stop();
});

async function rows(name: string) {
  const outcome = await runProbe(session, probeNamed(name));
  if (outcome.kind !== 'ran') throw new Error(`${name}: ${outcome.reason}`);
  return outcome.rows;
}

const reset = '2026-11-01T00:00:00Z';

it('waits for locks are read by what was locked', async () => {
  expect(await rows('pg_stat_lock')).toEqual([
    { locktype: 'relation', waits: 7, wait_time: 1250.5, fastpath_exceeded: 3, stats_reset: reset },
  ]);
});

it('recovery has a row where there is one', async () => {
  expect(await rows('pg_stat_recovery')).toEqual([]);
  const { columns, sql } = probeNamed('pg_stat_recovery');
  // This server is no standby.
  const text = sql(session.capabilities).replace('where pg_catalog.pg_is_in_recovery()', '');
  const [row] = await server.query(text);
  expect(row).toMatchObject({
    promote_triggered: false,
    last_replayed_end_lsn: '0/20',
    pause_state: 'not paused',
  });
  expect(Object.keys(row ?? {})).toEqual(columns.map(({ name }) => name));
});

it('autovacuum says itself what it would do, the most urgent first', async () => {
  const found = await rows('pg_stat_autovacuum_scores');
  expect(found.map(({ relname }) => relname)).toEqual(['pg_proc', 'pg_class']);
  expect(found[0]).toMatchObject({
    vacuum_score: 1.5,
    analyze_score: 2,
    do_vacuum: true,
    for_wraparound: true,
  });
});

it('REPACK and checksums that are switched on show how far they are, each once and by its name', async () => {
  const found = (await rows('pg_stat_progress')).filter(({ pid }) => pid !== null);
  expect(found.map(({ command, done, total, percent }) => ({ command, done, total, percent }))).toEqual([
    { command: 'REPACK', done: 50, total: 200, percent: 25 },
    { command: 'DATA CHECKSUMS', done: 100, total: 400, percent: 25 },
  ]);
});

it('progress says in what way and by whom a vacuum, an analyze or a backup was begun', async () => {
  const found = await rows('pg_stat_progress');
  const detailsOf = (command: string) => found.find((row) => row.command === command)?.details;
  expect(detailsOf('VACUUM')).toMatchObject({ mode: 'aggressive', started_by: 'autovacuum_wraparound' });
  expect(detailsOf('ANALYZE')).toMatchObject({ started_by: 'manual' });
  expect(detailsOf('BASE BACKUP')).toMatchObject({ backup_type: 'incremental' });
});

it('statements say by which kind of plan they ran', async () => {
  const found = await rows('pg_stat_statements');
  expect(found.length).toBeGreaterThan(0);
  expect(found[0]).toMatchObject({ generic_plan_calls: 3, custom_plan_calls: 4 });
});

it('renamed and new columns of subscriptions, slots and WAL are read', async () => {
  expect(await rows('pg_stat_subscription')).toMatchObject([
    // One that is disabled and has no slot keeps no WAL anywhere.
    {
      subname: 'far',
      is_stopped: true,
      sync_error_count: 0,
      sync_seq_error_count: 5,
      confl_update_deleted: 6,
    },
    { subname: 'slotless', is_stopped: false },
  ]);
  expect(await rows('pg_replication_slots')).toMatchObject([
    {
      ...{ slot_name: 'decoded', slotsync_skip_reason: 'wal_or_rows_removed', mem_exceeded_count: 8 },
      ...{ slotsync_skip_count: 9, slotsync_last_skip: reset },
    },
  ]);
  expect(await rows('pg_stat_wal')).toMatchObject([{ wal_fpi_bytes: 12345 }]);
});

it('objects say when their statistics were reset', async () => {
  for (const name of [
    'pg_stat_all_tables',
    'pg_stat_all_indexes',
    'pg_statio_all_sequences',
    'pg_stat_database_conflicts',
  ]) {
    const found = await rows(name);
    expect(found.length, name).toBeGreaterThan(0);
    expect(new Set(found.map(({ stats_reset }) => stats_reset)), name).toEqual(new Set([reset]));
  }
  expect(await rows('pg_stat_user_functions')).toEqual([]);
  const indexes = (await rows('pg_index_health')).filter(({ finding }) => finding === 'unused');
  expect(indexes).toMatchObject([{ indexrelname: 'unread', stats_reset: reset }]);
});

it('on 18 what only 19 has is not applicable', async () => {
  const real = session.capabilities;
  session.capabilities = { ...real, version_num: 180_000 };
  for (const name of ['pg_stat_lock', 'pg_stat_recovery', 'pg_stat_autovacuum_scores'])
    expect(await runProbe(session, probeNamed(name))).toMatchObject({
      kind: 'skipped',
      cause: 'not_applicable',
    });
  session.capabilities = real;
});
