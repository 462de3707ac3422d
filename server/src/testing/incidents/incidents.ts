// Incidents as they happen on servers, each with its known cause, for the evaluation of answers. Trouble is made on real servers, by
// the scenes that prove rules and checks, and by what stands here.

import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import type { CheckName } from '../../insight/checks/catalog.gen.ts';
import { openClient } from '../servers/client.ts';
import type { TestCluster } from '../servers/postgres.ts';

/** One that a scene makes, or that is made here. */
export interface Incident {
  /** As people on call would say it. */
  name: string;
  /** Names of points that name the cause; one of them is enough. */
  causes: readonly (CheckName | RuleName | 'lock' | 'config_change' | 'index_dropped')[];
  by:
    | { check: CheckName; title?: string }
    | { rule: RuleName }
    | {
        make: (server: TestCluster) => Promise<() => Promise<unknown>>;
        isThere: (server: TestCluster) => Promise<boolean>;
      };
}

const run = async (server: TestCluster, ...texts: readonly string[]) => {
  for (const text of texts) await server.query(text);
};

/** One session holds a row in an open transaction, and others queue behind it. */
async function lockConvoy(server: TestCluster): Promise<() => Promise<unknown>> {
  await run(server, 'create table convoy (id int primary key, n int)', 'insert into convoy values (1, 0)');
  const clients = await Promise.all(
    Array.from({ length: 7 }, (_none, n) => openClient(server, `checkout ${n}`)),
  );
  const [holder, ...waiting] = clients;
  await holder?.query('begin');
  await holder?.query('update convoy set n = n + 1');
  for (const one of waiting) void one.begin('update convoy set n = n + 1');
  return async () => {
    for (const one of clients) await one.end();
    await run(server, 'drop table convoy');
  };
}

/** A migration waits for a reader, and everybody else waits for the migration. */
async function blockedMigration(server: TestCluster): Promise<() => Promise<unknown>> {
  await run(server, 'create table migrated (id int primary key)');
  const clients = await Promise.all(
    ['report', 'migration', 'app 1', 'app 2', 'app 3', 'app 4', 'app 5'].map((name) =>
      openClient(server, name),
    ),
  );
  const [reader, migration, ...others] = clients;
  await reader?.query('begin');
  await reader?.query('select * from migrated');
  void migration?.begin('alter table migrated add column note text');
  await isWaiting(server, 1);
  for (const one of others) void one.begin('select * from migrated');
  return async () => {
    for (const one of clients) await one.end();
    await run(server, 'drop table migrated');
  };
}

async function isWaiting(server: TestCluster, least: number): Promise<boolean> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await server.query('select from pg_locks where not granted')).length >= least) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

export const INCIDENTS: readonly Incident[] = [
  {
    name: 'a lock convoy behind an open transaction',
    causes: ['lock'],
    by: { make: lockConvoy, isThere: (server) => isWaiting(server, 6) },
  },
  {
    name: 'a migration that waits for a report, and blocks everybody',
    causes: ['lock'],
    by: { make: blockedMigration, isThere: (server) => isWaiting(server, 6) },
  },
  {
    name: 'a transaction left open',
    causes: ['long_running_transaction', 'long_transaction', 'idle_in_transaction', 'lock'],
    by: { rule: 'blocked_queries' },
  },
  {
    name: 'a connection storm',
    causes: ['connection_utilization', 'connections_exhausted', 'connections_nearly_used_up'],
    by: { rule: 'connection_utilization' },
  },
  { name: 'deadlocks', causes: ['deadlocks_detected'], by: { rule: 'deadlocks_detected' } },
  {
    name: 'a temp spill',
    causes: ['temp_files_created', 'statement_temp_files'],
    by: { rule: 'temp_files_created' },
  },
  {
    name: 'statements that became slow',
    causes: ['slow_query_count', 'statement_slower'],
    by: { rule: 'slow_query_count' },
  },
  {
    name: 'a checkpoint storm',
    causes: ['checkpoint_warning', 'max_wal_size_small'],
    by: { rule: 'checkpoint_warning' },
  },
  {
    name: 'archiving that fails',
    causes: ['wal_archive_failed', 'archiving_fails'],
    by: { rule: 'wal_archive_failed' },
  },
  {
    name: 'dead rows that nobody removes',
    causes: [
      'dead_tuple_ratio',
      'table_bloat_ratio',
      'autovacuum_not_running',
      'dead_rows',
      'table_autovacuum_off',
    ],
    by: { rule: 'dead_tuple_ratio' },
  },
  {
    name: 'an index that was not built to the end',
    causes: ['invalid_index'],
    by: { rule: 'invalid_index' },
  },
  {
    name: 'a sequence that runs out',
    causes: ['sequence_usage_high', 'sequence_usage_critical', 'sequence_runs_out'],
    by: { rule: 'sequence_usage_high' },
  },
  {
    name: 'a restart that settings wait for',
    causes: ['settings_pending_restart', 'pending_restart'],
    by: { rule: 'settings_pending_restart' },
  },
  {
    name: 'a library that sorts differently',
    causes: ['collation_version_mismatch'],
    by: { rule: 'collation_version_mismatch' },
  },
  { name: 'a bloated index', causes: ['index_bloat'], by: { check: 'index_bloat' } },
  { name: 'a bloated table', causes: ['table_bloat'], by: { check: 'table_bloat' } },
  {
    name: 'a foreign key without an index',
    causes: ['foreign_key_without_index'],
    by: { check: 'foreign_key_without_index' },
  },
  {
    name: 'a large table that is read whole again and again',
    causes: ['large_table_scans', 'missing_index'],
    by: { check: 'large_table_scans' },
  },
  {
    name: 'an index that is missing',
    causes: ['missing_index', 'large_table_scans', 'statement_reads_much'],
    by: { check: 'missing_index' },
  },
  {
    name: 'a session that holds vacuum back',
    causes: ['horizon_held', 'long_transaction', 'long_running_transaction', 'idle_in_transaction'],
    by: { check: 'horizon_held', title: 'by a session' },
  },
  {
    name: 'a prepared transaction left behind',
    causes: ['horizon_held', 'prepared_transaction_age'],
    by: { check: 'horizon_held', title: 'by a prepared transaction' },
  },
  {
    name: 'a slot left behind',
    causes: ['inactive_slot', 'replication_slot_inactive'],
    by: { check: 'inactive_slot' },
  },
  {
    name: 'a slot that lost its WAL',
    causes: ['lost_slot', 'replication_slot_lost'],
    by: { check: 'lost_slot' },
  },
  { name: 'stale statistics', causes: ['statistics_stale'], by: { check: 'statistics_stale' } },
  {
    name: 'a table without statistics',
    causes: ['statistics_missing'],
    by: { check: 'statistics_missing', title: 'a table' },
  },
  {
    name: 'autovacuum switched off',
    causes: ['autovacuum_off', 'autovacuum_not_running'],
    by: { check: 'autovacuum_off', title: 'autovacuum' },
  },
  {
    name: 'autovacuum switched off for a table',
    causes: ['table_autovacuum_off'],
    by: { check: 'table_autovacuum_off' },
  },
  { name: 'starved autovacuum', causes: ['autovacuum_starved'], by: { check: 'autovacuum_starved' } },
  { name: 'fsync switched off', causes: ['fsync_off', 'config_change'], by: { check: 'fsync_off' } },
  {
    name: 'planner methods switched off',
    causes: ['planner_method_off', 'config_change'],
    by: { check: 'planner_method_off' },
  },
  {
    name: 'a cache size that misleads the planner',
    causes: ['effective_cache_size_small', 'config_change'],
    by: { check: 'effective_cache_size_small' },
  },
  {
    name: 'max_wal_size too small for the load',
    causes: ['max_wal_size_small', 'checkpoint_warning'],
    by: { check: 'max_wal_size_small' },
  },
  {
    name: 'a statement that reads far more than it returns',
    causes: ['statement_reads_much', 'missing_index', 'large_table_scans'],
    by: { check: 'statement_reads_much' },
  },
  {
    name: 'a statement whose planning takes longer than its run',
    causes: ['statement_planning'],
    by: { check: 'statement_planning' },
  },
  { name: 'trust in pg_hba.conf', causes: ['hba_trust'], by: { check: 'hba_trust' } },
  { name: 'an error in pg_hba.conf', causes: ['hba_error'], by: { check: 'hba_error' } },
  { name: 'a login that may do everything', causes: ['superuser_login'], by: { check: 'superuser_login' } },
  {
    name: 'a database left by an interrupted drop',
    causes: ['interrupted_drop_database'],
    by: { check: 'interrupted_drop_database' },
  },
  {
    name: 'commits that wait for a standby that is gone',
    causes: ['sync_standbys_missing'],
    by: { check: 'sync_standbys_missing' },
  },
  {
    name: 'a subscription that stopped',
    causes: ['subscription_stopped', 'subscription_worker_down'],
    by: { check: 'subscription_stopped' },
  },
];
