// Waits for locks by what was locked, since 19: also those that nobody saw while they lasted. Guards: the server counts a wait once
// it was longer than deadlock_timeout, so shorter ones are in no figure.
import { defineProbe } from './types.ts';
import { counters, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_lock';

const columns = [
  { name: 'locktype', type: 'text', kind: 'key', description: 'relation, transactionid, advisory, …' },
  ...counters('count', [['waits', 'Waits that lasted longer than deadlock_timeout.']]),
  ...millisecondCounters([['wait_time', 'How long these took together.']]),
  ...counters('count', [
    [
      'fastpath_exceeded',
      'Locks of tables that found no fast-path slot free, see max_locks_per_transaction.',
    ],
  ]),
  ...times([['stats_reset', 'Last reset of these statistics.']]),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_lock',
  description: 'Long waits for locks by what was locked (19+).',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  requires: { version_num: 190_000, relation: VIEW },
  columns,
  caps: { maxRows: 100, maxBytes: 65_536, maxText: 100, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
where s.locktype is not null
order by s.locktype`,
});
