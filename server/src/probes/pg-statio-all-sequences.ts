// Blocks of sequences. How far they have got is in pg_sequence_usage.
import { defineProbe } from './types.ts';
import { counters, labels, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_statio_all_sequences';

const columns = [
  { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id; stays when it is renamed.' },
  ...labels([
    ['schemaname', 'Schema.'],
    ['relname', 'Sequence.'],
  ]),
  ...counters('blocks', [
    ['blks_read', 'Blocks read from disk or the system cache.'],
    ['blks_hit', 'Blocks found in shared buffers.'],
  ]),
] as const;

export const probe = defineProbe({
  name: 'pg_statio_all_sequences',
  description: 'Blocks read for each sequence; sequences of temporary tables are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW],
  columns,
  caps: { maxRows: 10_000, maxText: 256, timeoutMs: 10_000 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, columns)}
from ${VIEW} s
where s.schemaname not like 'pg\\_temp\\_%'
order by s.relid`,
});
