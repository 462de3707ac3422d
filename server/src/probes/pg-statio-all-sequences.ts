// Blocks of sequences. How far they have got is in pg_sequence_usage.
import { SEQUENCE_BLOCKS } from './statistics-functions.ts';
import { defineProbe } from './types.ts';
import { counters, labels, times, viewColumns } from './view-columns.ts';

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
  ...times([['stats_reset', 'Last reset of its statistics (19+).']]),
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
  caps: { maxRows: 10_000, maxText: 256 },
  sql: (capabilities) => `select
${viewColumns(capabilities, { view: VIEW, alias: 'c', expressions: SEQUENCE_BLOCKS }, columns)}
from pg_catalog.pg_class c
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'S' and c.relpersistence <> 't'
order by c.oid`,
});
