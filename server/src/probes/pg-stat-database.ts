// What happened in a database since its statistics were reset: transactions, rows, blocks, sessions, conflicts. Each
// database has its own row. Guards: damage in the catalogs that all databases share, whose row belongs to none of them, is told in one.
import { defineProbe } from './types.ts';
import { counters, gauges, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_database';

const ofView = [
  { name: 'datid', type: 'bigint', kind: 'label', description: 'Object id of the database.' },
  ...labels([['datname', 'Its name.']]),
  ...gauges('count', [['numbackends', 'Sessions in it now.']]),
  ...counters('transactions', [
    ['xact_commit', 'Transactions committed.'],
    ['xact_rollback', 'Transactions rolled back.'],
  ]),
  ...counters('blocks', [
    ['blks_read', 'Blocks read from disk or the system cache.'],
    ['blks_hit', 'Blocks found in shared buffers.'],
  ]),
  ...counters('rows', [
    ['tup_returned', 'Rows read by scans.'],
    ['tup_fetched', 'Live rows fetched through indexes.'],
    ['tup_inserted', 'Rows inserted.'],
    ['tup_updated', 'Rows updated.'],
    ['tup_deleted', 'Rows deleted.'],
  ]),
  ...counters('count', [
    ['conflicts', 'Queries cancelled by recovery, on a standby.'],
    ['temp_files', 'Temporary files written by queries.'],
  ]),
  ...counters('bytes', [['temp_bytes', 'Bytes written to temporary files.']]),
  ...counters('count', [
    ['deadlocks', 'Deadlocks detected.'],
    ['checksum_failures', 'Blocks with a wrong checksum; null while checksums are off.'],
  ]),
  ...times([['checksum_last_failure', 'Last block with a wrong checksum.']]),
  ...millisecondCounters([
    ['blk_read_time', 'Time spent reading blocks; 0 while track_io_timing is off.'],
    ['blk_write_time', 'Time spent writing blocks; 0 while track_io_timing is off.'],
    ['session_time', 'Time that sessions were connected, all together.'],
    ['active_time', 'Time of sessions executing statements.'],
    ['idle_in_transaction_time', 'Time of sessions idle in a transaction.'],
  ]),
  ...counters('count', [
    ['sessions', 'Sessions that were begun.'],
    ['sessions_abandoned', 'Sessions whose client went away.'],
    ['sessions_fatal', 'Sessions ended by a fatal error.'],
    ['sessions_killed', 'Sessions ended by an operator.'],
    ['parallel_workers_to_launch', 'Parallel workers planned (18+).'],
    ['parallel_workers_launched', 'Parallel workers launched (18+).'],
  ]),
  ...times([['stats_reset', 'Last reset of these statistics.']]),
] as const;

const WITH_SHARED = `s.checksum_failures + case
    when s.datname <> pg_catalog.current_database() then 0
    else (
      select case when o.checksum_last_failure > pg_catalog.now() - interval '7 days' then o.checksum_failures else 0 end
      from ${VIEW} o
      where o.datid = 0
    )
  end`;

export const probe = defineProbe({
  name: 'pg_stat_database',
  description: 'Activity of each database.',
  level: 'D',
  serverWide: { databaseColumn: 'datid' },
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  settings: ['track_counts', 'track_io_timing'],
  columns: [
    ...ofView,
    ...gauges('count', [
      [
        'checksum_failures_with_shared',
        'In the row of one database with those of the catalogs that all databases share, until 7 days after the last of these since no function resets them; null while checksums are off.',
      ],
    ]),
  ],
  metrics: [
    {
      name: 'connection_days_left',
      unit: 'days',
      description:
        'Until the sessions of all databases take every connection that is not reserved, as their daily peaks grow now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'connections' },
    },
    {
      name: 'cache_hit_ratio',
      unit: 'percent',
      description: 'Blocks found in shared buffers of all that were wanted; unknown below 1,000 blocks.',
      combine: 'avg',
      worse: 'less',
      value: {
        kind: 'ratio of increases',
        of: ['blks_hit'],
        to: ['blks_hit', 'blks_read'],
        scale: 100,
        least: 1000,
      },
    },
    {
      name: 'rollback_percent',
      unit: 'percent',
      description: 'Transactions rolled back of all that ended.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of increases',
        of: ['xact_rollback'],
        to: ['xact_commit', 'xact_rollback'],
        scale: 100,
      },
    },
    {
      name: 'temp_files_delta',
      unit: 'count',
      description: 'Temporary files written by queries; as the newest value, in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'increase', column: 'temp_files' },
    },
    {
      name: 'deadlocks_delta',
      unit: 'count',
      description: 'Deadlocks; as the newest value, in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'increase', column: 'deadlocks' },
    },
    {
      name: 'checksum_failures_total',
      unit: 'count',
      description:
        'Blocks with a wrong checksum since the statistics were reset, also of shared catalogs; unknown without checksums.',
      combine: 'sum',
      worse: 'more',
      value: {
        kind: 'gauge',
        column: 'checksum_failures_with_shared',
        where: [{ column: 'checksum_failures', notIn: [null] }],
      },
    },
  ],
  caps: { maxBytes: 8 * 1024 * 1024, maxText: 256, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, ofView)},
  ${WITH_SHARED} as checksum_failures_with_shared
from ${VIEW} s
where s.datname is not null`,
});
