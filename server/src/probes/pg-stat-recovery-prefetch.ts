// What recovery reads ahead, on standbys and after a crash.
import { defineProbe } from './types.ts';
import { counters, gauges, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_recovery_prefetch';

const columns = [
  ...counters('blocks', [
    ['prefetch', 'Blocks read ahead.'],
    ['hit', 'Not read ahead: already in shared buffers.'],
    ['skip_init', 'Not read ahead: would be initialised with zeros.'],
    ['skip_new', 'Not read ahead: did not exist yet.'],
    ['skip_fpw', 'Not read ahead: the WAL holds the whole page.'],
    ['skip_rep', 'Not read ahead: was read ahead lately.'],
  ]),
  ...gauges('bytes', [['wal_distance', 'How far the reader of WAL is ahead.']]),
  ...gauges('blocks', [['block_distance', 'How many blocks the reader is ahead.']]),
  ...gauges('count', [['io_depth', 'Reads begun and not known to be done.']]),
  ...times([['stats_reset', 'Last reset of these statistics.']]),
];

export const probe = defineProbe({
  name: 'pg_stat_recovery_prefetch',
  description: 'Reading ahead during recovery.',
  level: 'S',
  intervalSeconds: 600,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  requires: { version_num: 150_000 },
  columns,
  caps: { maxRows: 1, maxBytes: 65_536, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s`,
});
