// The columns of pg_stat_all_tables: those of the two views of the server, and those of the catalog.
import { counters, flags, gauges, labels, millisecondCounters, times } from './view-columns.ts';

export const VIEW = 'pg_catalog.pg_stat_all_tables';
export const IO_VIEW = 'pg_catalog.pg_statio_all_tables';

export const ofView = [
  { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id; stays when it is renamed.' },
  ...labels([
    ['schemaname', 'Schema.'],
    ['relname', 'Table.'],
  ]),
  ...counters('count', [['seq_scan', 'Sequential scans.']]),
  ...times([['last_seq_scan', 'Last sequential scan (16+).']]),
  ...counters('rows', [['seq_tup_read', 'Live rows read by sequential scans.']]),
  ...counters('count', [['idx_scan', 'Index scans; null without an index.']]),
  ...times([['last_idx_scan', 'Last index scan (16+).']]),
  ...counters('rows', [
    ['idx_tup_fetch', 'Live rows fetched through indexes.'],
    ['n_tup_ins', 'Rows inserted.'],
    ['n_tup_upd', 'Rows updated.'],
    ['n_tup_del', 'Rows deleted.'],
    ['n_tup_hot_upd', 'Rows updated without touching an index.'],
    ['n_tup_newpage_upd', 'Rows that an update moved to another page (16+).'],
  ]),
  ...gauges('rows', [
    ['n_live_tup', 'Live rows, estimated; where statistics were lost, from those of the catalog.'],
    ['n_dead_tup', 'Dead rows, estimated.'],
    ['n_mod_since_analyze', 'Rows changed since the last analyze.'],
    ['n_ins_since_vacuum', 'Rows inserted since the last vacuum.'],
  ]),
  ...times([
    ['last_vacuum', 'Last vacuum by hand.'],
    ['last_autovacuum', 'Last vacuum by autovacuum.'],
    ['last_analyze', 'Last analyze by hand.'],
    ['last_autoanalyze', 'Last analyze by autovacuum.'],
  ]),
  ...counters('count', [
    ['vacuum_count', 'Vacuums by hand.'],
    ['autovacuum_count', 'Vacuums by autovacuum.'],
    ['analyze_count', 'Analyzes by hand.'],
    ['autoanalyze_count', 'Analyzes by autovacuum.'],
  ]),
  ...millisecondCounters([
    ['total_vacuum_time', 'Time of vacuums by hand (18+).'],
    ['total_autovacuum_time', 'Time of vacuums by autovacuum (18+).'],
    ['total_analyze_time', 'Time of analyzes by hand (18+).'],
    ['total_autoanalyze_time', 'Time of analyzes by autovacuum (18+).'],
  ]),
  ...times([['stats_reset', 'Last reset of its statistics (19+).']]),
] as const;

export const ofIoView = counters('blocks', [
  ['heap_blks_read', 'Blocks of the table read from disk or the system cache.'],
  ['heap_blks_hit', 'Blocks of the table found in shared buffers.'],
  ['idx_blks_read', 'Blocks of its indexes read.'],
  ['idx_blks_hit', 'Blocks of its indexes found.'],
  ['toast_blks_read', 'Blocks of its TOAST table read.'],
  ['toast_blks_hit', 'Blocks of its TOAST table found.'],
  ['tidx_blks_read', "Blocks of the TOAST table's index read."],
  ['tidx_blks_hit', "Blocks of the TOAST table's index found."],
]);

export const ofCatalog = [
  ...labels([
    ['relkind', 'r table, p partitioned, m materialized view, t TOAST.'],
    ['relpersistence', 'p permanent, u unlogged.'],
  ]),
  ...gauges('bytes', [
    ['table_size', 'Pages with TOAST, of the time in size_as_of; null before any vacuum or analyze.'],
  ]),
  ...times([
    [
      'size_as_of',
      'Last vacuum or analyze, of table and TOAST the older one: table_size is of that time or newer; null: not known, as on a standby.',
    ],
  ]),
  ...gauges('rows', [
    [
      'reltuples',
      'Live rows as of the last vacuum or analyze; null before one; 0 where there are no partitions.',
    ],
    ['vacuum_threshold', 'Autovacuum vacuums with more dead rows than this.'],
    ['insert_vacuum_threshold', 'Autovacuum vacuums with more rows inserted than this; null when off.'],
    ['analyze_threshold', 'Autovacuum analyzes with more rows changed than this.'],
  ]),
  ...flags([['autovacuum_enabled', 'False: only against wraparound.']]),
  ...gauges('transactions', [
    ['relfrozenxid_age', 'Transactions since the oldest one not frozen, in whole millions.'],
    ['relminmxid_age', 'Multixacts since the oldest one, in whole millions.'],
    ['freeze_max_age', 'Age at which autovacuum vacuums whatever else is set.'],
    ['multixact_freeze_max_age', 'Age in multixacts at which it does.'],
  ]),
] as const;
