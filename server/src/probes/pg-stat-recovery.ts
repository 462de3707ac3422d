// How far recovery is and whether it is paused or about to end, since 19, from one look at the startup process. No row on a primary.
import { defineProbe } from './types.ts';
import { labels, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_recovery';

const columns = [
  { name: 'promote_triggered', type: 'boolean', kind: 'label', description: 'A promotion was asked for.' },
  ...labels([
    ['last_replayed_read_lsn', 'Start of the record that was replayed last.'],
    ['last_replayed_end_lsn', 'End of that record.'],
  ]),
  { name: 'last_replayed_tli', type: 'integer', kind: 'label', description: 'Its timeline.' },
  ...labels([['replay_end_lsn', 'End of the record that is replayed now.']]),
  { name: 'replay_end_tli', type: 'integer', kind: 'label', description: 'Its timeline.' },
  ...times([
    ['recovery_last_xact_time', 'When the transaction that was replayed last ended on the primary.'],
    ['current_chunk_start_time', 'Since when replay works on what it has received.'],
  ]),
  ...labels([['pause_state', 'not paused, pause requested or paused.']]),
] as const;

export const probe = defineProbe({
  name: 'pg_stat_recovery',
  description: 'Progress and state of recovery (19+).',
  level: 'S',
  intervalSeconds: 60,
  guardSeconds: 120,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats' },
  views: [VIEW],
  requires: { version_num: 190_000, relation: VIEW },
  columns,
  caps: { maxRows: 1, maxBytes: 65_536, maxText: 100, timeoutMs: 5000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
where pg_catalog.pg_is_in_recovery()
limit 1`,
});
