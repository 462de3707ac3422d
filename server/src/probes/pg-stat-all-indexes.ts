// Use of indexes, with their blocks and size. Guards: nothing here waits for a lock, so the size comes from the
// catalog (as of the last vacuum, analyze or build) and not from the files.
import { isKept, keptOf, MOST_OBJECTS, type Ranking, unwatchedOf } from './most-important.ts';
import { INDEX_BLOCKS, INDEXES, OF_EXTENSIONS, serversLast } from './statistics-functions.ts';
import { type Capabilities, defineProbe } from './types.ts';
import { counters, gauges, labels, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_all_indexes';
const IO_VIEW = 'pg_catalog.pg_statio_all_indexes';

const ofView = [
  { name: 'indexrelid', type: 'bigint', kind: 'key', description: 'Object id; stays when it is renamed.' },
  { name: 'relid', type: 'bigint', kind: 'label', description: 'Object id of the table.' },
  ...labels([
    ['schemaname', 'Schema.'],
    ['relname', 'Table.'],
    ['indexrelname', 'Index.'],
  ]),
  ...counters('count', [['idx_scan', 'Scans of the index that were begun.']]),
  ...times([['last_idx_scan', 'Last scan (16+).']]),
  ...counters('rows', [
    ['idx_tup_read', 'Entries read by scans.'],
    ['idx_tup_fetch', 'Live rows fetched by simple scans.'],
  ]),
  ...times([['stats_reset', 'Last reset of its statistics (19+).']]),
] as const;
const ofIoView = counters('blocks', [
  ['idx_blks_read', 'Blocks read from disk or the system cache.'],
  ['idx_blks_hit', 'Blocks found in shared buffers.'],
]);

const RANKING: Ranking = {
  from: `pg_catalog.pg_index i
        join pg_catalog.pg_class d on d.oid = i.indexrelid
        join pg_catalog.pg_class c on c.oid = i.indrelid
        where c.relkind in ('r', 't', 'm') and d.relpersistence <> 't'`,
  oid: 'd.oid',
  measures: [
    'd.relpages',
    'pg_catalog.pg_stat_get_numscans(d.oid)',
    'pg_catalog.pg_stat_get_blocks_fetched(d.oid) - pg_catalog.pg_stat_get_blocks_hit(d.oid)',
    'case when not i.indisvalid then 1 end',
  ],
};

const select = (capabilities: Capabilities, unwatched: string, which: string) => `select
${viewColumns(capabilities, { view: VIEW, alias: 'd', expressions: INDEXES }, ofView)},
${viewColumns(capabilities, { view: IO_VIEW, alias: 'd', expressions: INDEX_BLOCKS }, ofIoView)},
  greatest(0, d.relpages)::bigint * pg_catalog.current_setting('block_size')::bigint as index_size,
  i.indisunique as is_unique,
  i.indisprimary as is_primary,
  i.indisvalid as is_valid,
  i.indisunique or i.indisexclusion or i.indisreplident or d.relispartition or i.indrelid in (
    ${OF_EXTENSIONS}
  ) as is_needed${unwatched}
from pg_catalog.pg_index i
join pg_catalog.pg_class d on d.oid = i.indexrelid
join pg_catalog.pg_class c on c.oid = i.indrelid
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 't', 'm') and d.relpersistence <> 't' ${which}
order by ${serversLast("n.nspname = 'pg_toast'", 'd.oid', 'c.oid')}`;

export const probe = defineProbe({
  name: 'pg_stat_all_indexes',
  description: 'Use, size and state of each index; those of temporary tables are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW, IO_VIEW],
  settings: ['track_counts'],
  // Catalogs that all databases share have ids below this one.
  births: { sharedBelow: 16_384, inherits: true },
  columns: [
    ...ofView,
    ...ofIoView,
    ...gauges('bytes', [
      [
        'index_size',
        'Pages by the catalog, as of the last vacuum, analyze or build; the server does not say when.',
      ],
    ]),
    { name: 'is_unique', type: 'boolean', kind: 'label', description: 'Allows no duplicates.' },
    { name: 'is_primary', type: 'boolean', kind: 'label', description: 'Belongs to the primary key.' },
    { name: 'is_valid', type: 'boolean', kind: 'label', description: 'False: queries cannot use it.' },
    {
      name: 'is_needed',
      type: 'boolean',
      kind: 'label',
      description:
        "True: unique, of a constraint, the replica identity, of an extension's table, or attached to the index of a partitioned table.",
    },
  ],
  unwatched: {
    objects: 'indexes',
    by: 'size, scans, blocks read and being invalid',
    shares: ['the size', 'the scans'],
  },
  caps: { maxRows: MOST_OBJECTS, maxText: 256, timeoutMs: 15_000 },
  sql: (capabilities) => select(capabilities, '', ''),
  mostImportant: (capabilities) =>
    `with ${keptOf(RANKING)}\n${select(capabilities, `,\n  ${unwatchedOf(RANKING, 2)}`, `and ${isKept(RANKING)}`)}`,
});
