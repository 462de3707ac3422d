// What PostgreSQL 19 changed, as its documents say: no program of it runs in our tests, so the facts of 14 to 18 are carried on with
// these changes. What the documents leave open is left open here, and what was taken back before 19.0 is not here: to enable data
// checksums in a running server was in betas alone. Pure.
import type { Row } from './types.ts';

const GONE: Readonly<Record<string, readonly string[]>> = {
  parameters: ['escape_string_warning', 'io_workers'],
  'wait-events': ['BufferPin/BufferPin', 'LWLock/BufferContent'],
};

/** Defaults that are others than in 18. */
const DEFAULTS: Readonly<Record<string, string>> = {
  jit: 'off',
  log_lock_waits: 'on',
  max_locks_per_transaction: '128',
};

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  pg_stat_subscription_stats: ['sync_seq_error_count', 'sync_table_error_count', 'confl_update_deleted'],
  pg_replication_slots: ['slotsync_skip_reason'],
  pg_stat_replication_slots: ['mem_exceeded_count', 'slotsync_skip_count', 'slotsync_last_skip'],
  pg_stat_wal: ['wal_fpi_bytes'],
  pg_stat_progress_vacuum: ['mode', 'started_by'],
  pg_stat_progress_analyze: ['started_by'],
  pg_stat_progress_basebackup: ['backup_type'],
  pg_stats: ['tableid', 'attnum'],
  pg_stats_ext: ['tableid', 'statistics_id'],
  ...Object.fromEntries(
    [
      'pg_stat_all_tables',
      'pg_stat_sys_tables',
      'pg_stat_user_tables',
      'pg_stat_all_indexes',
      'pg_stat_sys_indexes',
      'pg_stat_user_indexes',
      'pg_statio_all_tables',
      'pg_statio_all_indexes',
      'pg_statio_all_sequences',
      'pg_stat_user_functions',
      'pg_stat_database_conflicts',
    ].map((view) => [view, ['stats_reset']]),
  ),
};

const VACUUMING = 'Vacuuming / Automatic Vacuuming';
const weight = (name: string): Row => ({
  ...{ name, type: 'real', context: 'sighup', category: VACUUMING, min: '0', max: '10', default_19: '=1' },
});
const parameter = ([name, type, category]: readonly [string, string, string], more: Row = {}): Row => ({
  ...{ name, type, category, default_19: '?' },
  ...more,
});

const event = (type: string, name: string): Row => ({ class: type, name, versions: '19' });
const view = (name: string, columns: string): Row => ({ name, versions: '19', columns });

const NEW: Readonly<Record<string, readonly Row[]>> = {
  parameters: [
    weight('autovacuum_analyze_score_weight'),
    weight('autovacuum_freeze_score_weight'),
    weight('autovacuum_multixact_freeze_score_weight'),
    weight('autovacuum_vacuum_insert_score_weight'),
    weight('autovacuum_vacuum_score_weight'),
    parameter(['autovacuum_max_parallel_workers', 'integer', VACUUMING], { default_19: '=0' }),
    parameter(['effective_wal_level', 'enum', 'Write-Ahead Log / Settings'], { context: 'internal' }),
    parameter(['enable_eager_aggregate', 'bool', 'Query Tuning / Planner Method Configuration'], {
      context: 'user',
    }),
    parameter(['io_max_workers', 'integer', 'Resource Usage / I/O']),
    parameter(['io_min_workers', 'integer', 'Resource Usage / I/O']),
    parameter(['log_autoanalyze_min_duration', 'integer', 'Reporting and Logging / What to Log'], {
      unit: 'ms',
    }),
    parameter(['max_repack_replication_slots', 'integer', 'Replication / Sending Servers'], {
      context: 'postmaster',
    }),
    parameter([
      'password_expiration_warning_threshold',
      'integer',
      'Connections and Authentication / Authentication',
    ]),
    parameter(['ssl_sni', 'bool', 'Connections and Authentication / SSL']),
    parameter(['timing_clock_source', 'enum', 'Resource Usage / Time']),
    parameter(['wal_sender_shutdown_timeout', 'integer', 'Replication / Sending Servers']),
  ],
  'wait-events': [
    ...['BufferCleanup', 'BufferExclusive', 'BufferShareExclusive', 'BufferShared'].map((name) =>
      event('Buffer', name),
    ),
    ...['WaitForWalFlush', 'WaitForWalReplay', 'WaitForWalWrite'].map((name) => event('Client', name)),
    ...['CopyFromRead', 'CopyToWrite'].map((name) => event('IO', name)),
    event('IPC', 'RepackWorkerExport'),
    event('Timeout', 'CommitDelay'),
  ],
  views: [
    view('pg_dsm_registry_allocations', 'name type size'),
    view(
      'pg_stat_autovacuum_scores',
      'relid schemaname relname score xid_score mxid_score vacuum_score vacuum_insert_score analyze_score do_vacuum do_analyze for_wraparound',
    ),
    view('pg_stat_lock', 'locktype waits wait_time fastpath_exceeded stats_reset'),
    view(
      'pg_stat_progress_repack',
      'pid datid datname relid command phase repack_index_relid heap_tuples_scanned heap_tuples_inserted heap_tuples_updated heap_tuples_deleted heap_blks_total heap_blks_scanned index_rebuild_count',
    ),
    view(
      'pg_stat_recovery',
      'promote_triggered last_replayed_read_lsn last_replayed_end_lsn last_replayed_tli replay_end_lsn replay_end_tli recovery_last_xact_time current_chunk_start_time pause_state',
    ),
  ],
};

/** `16-18` as `16-19`, `18` as `18-19`; what 18 does not have stays as it is. */
const carriedOn = (versions: string): string =>
  versions.replace(/(^|,)(\d+)(-18)$/, '$1$2-19').replace(/(^|,)18$/, '$118-19');

function columnsOf(name: string, { columns = '' }: Row): string {
  const before = columns.split(' ').map((one) => {
    const [column = '', of] = one.split(':');
    return of === undefined ? column : `${column}:${carriedOn(of)}`;
  });
  return [...before, ...(COLUMNS[name] ?? []).map((column) => `${column}:19`)].join(' ');
}

function changed(file: string, row: Row): Row {
  const { name = '', versions = '' } = row;
  const isGone = (GONE[file] ?? []).includes(file === 'wait-events' ? `${row.class}/${name}` : name);
  if (file === 'parameters') {
    const value = DEFAULTS[name];
    return { ...row, default_19: isGone ? '-' : value === undefined ? (row.default_18 ?? '-') : `=${value}` };
  }
  const on = isGone ? versions : carriedOn(versions);
  return { ...row, versions: on, ...(file === 'views' && { columns: columnsOf(name, row) }) };
}

const before19: Row = Object.fromEntries([14, 15, 16, 17, 18].map((version) => [`default_${version}`, '-']));

/** The facts of 14 to 18 in that file, carried on to 19. */
export const with19 = (file: string, rows: readonly Row[]): Row[] => [
  ...rows.map((row) => changed(file, row)),
  ...(NEW[file] ?? []).map((row) => (file === 'parameters' ? { ...before19, ...row } : row)),
];
