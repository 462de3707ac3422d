// Queries that recovery cancelled on a standby, by cause. On a primary nothing moves here.
import { defineProbe } from './types.ts';
import { counters, labels, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_database_conflicts';

const columns = [
  { name: 'datid', type: 'bigint', kind: 'label', description: 'Object id of the database.' },
  ...labels([['datname', 'Its name.']]),
  ...counters('count', [
    ['confl_tablespace', 'Cancelled because a tablespace was dropped.'],
    ['confl_lock', 'Cancelled by a lock timeout.'],
    ['confl_snapshot', 'Cancelled because rows they saw were vacuumed away.'],
    ['confl_bufferpin', 'Cancelled because they pinned a buffer.'],
    ['confl_deadlock', 'Cancelled by a deadlock.'],
    ['confl_active_logicalslot', 'Logical slots in use that lost what they need (16+).'],
  ]),
  ...times([['stats_reset', 'Last reset of these statistics (19+).']]),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_database_conflicts',
  description: 'Queries cancelled by recovery in each database, by cause.',
  level: 'D',
  serverWide: { databaseColumn: 'datid' },
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  columns,
  caps: { maxBytes: 8 * 1024 * 1024, maxText: 256, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
where s.datname is not null`,
});
