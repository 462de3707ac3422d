// Blocks of sequences. How far they have got is in pg_sequence_usage.
import { isKept, keptOf, MOST_OBJECTS, type Ranking, unwatchedOf } from './most-important.ts';
import { SEQUENCE_BLOCKS } from './statistics-functions.ts';
import { type Capabilities, defineProbe } from './types.ts';
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

const RANKING: Ranking = {
  from: `pg_catalog.pg_class c where c.relkind = 'S' and c.relpersistence <> 't'`,
  oid: 'c.oid',
  measures: ['pg_catalog.pg_stat_get_blocks_fetched(c.oid)'],
};

const select = (capabilities: Capabilities, unwatched: string, which: string) => `select
${viewColumns(capabilities, { view: VIEW, alias: 'c', expressions: SEQUENCE_BLOCKS }, columns)}${unwatched}
from pg_catalog.pg_class c
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'S' and c.relpersistence <> 't' ${which}
order by c.oid`;

export const probe = defineProbe({
  name: 'pg_statio_all_sequences',
  description: 'Blocks read for each sequence; sequences of temporary tables are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW],
  columns,
  unwatched: { objects: 'sequences', by: 'blocks wanted', shares: ['the blocks wanted'] },
  caps: { maxRows: MOST_OBJECTS, maxText: 256 },
  sql: (capabilities) => select(capabilities, '', ''),
  mostImportant: (capabilities) =>
    `with ${keptOf(RANKING)}\n${select(capabilities, `,\n  ${unwatchedOf(RANKING, 1)}`, `and ${isKept(RANKING)}`)}`,
});
