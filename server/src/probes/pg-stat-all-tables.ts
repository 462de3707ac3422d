// Use, upkeep, blocks and size of tables, system tables and TOAST included. Guards: nothing here waits for a lock, so
// sizes come from the catalog (as of the last vacuum or analyze, whose time goes with them) and not from the files; a table
// never looked at has no size rather than 0. The thresholds are those that autovacuum itself goes by.

import { CLASS, isCapped, ownParameters, settings, thresholds } from './autovacuum-thresholds.ts';
import type { Floor } from './metric-types.ts';
import { isKept, keptOf, MOST_OBJECTS, type Ranking, unwatchedOf } from './most-important.ts';
import { indexesOfTables, serversLast, TABLE_BLOCKS, TABLES } from './statistics-functions.ts';
import { type Capabilities, defineProbe, hasColumn } from './types.ts';
import { counters, gauges, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_all_tables';
const IO_VIEW = 'pg_catalog.pg_statio_all_tables';

const ofView = [
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
    ['n_live_tup', 'Live rows, estimated.'],
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

const ofIoView = counters('blocks', [
  ['heap_blks_read', 'Blocks of the table read from disk or the system cache.'],
  ['heap_blks_hit', 'Blocks of the table found in shared buffers.'],
  ['idx_blks_read', 'Blocks of its indexes read.'],
  ['idx_blks_hit', 'Blocks of its indexes found.'],
  ['toast_blks_read', 'Blocks of its TOAST table read.'],
  ['toast_blks_hit', 'Blocks of its TOAST table found.'],
  ['tidx_blks_read', "Blocks of the TOAST table's index read."],
  ['tidx_blks_hit', "Blocks of the TOAST table's index found."],
]);

const ofCatalog = [
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
  {
    name: 'autovacuum_enabled',
    type: 'boolean',
    kind: 'label',
    description: 'False: only against wraparound.',
  },
  ...gauges('transactions', [
    ['relfrozenxid_age', 'Transactions since the oldest one not frozen, in whole millions.'],
    ['relminmxid_age', 'Multixacts since the oldest one, in whole millions.'],
    ['freeze_max_age', 'Age at which autovacuum vacuums whatever else is set.'],
    ['multixact_freeze_max_age', 'Age in multixacts at which it does.'],
  ]),
] as const;

const hasTimes = (capabilities: Capabilities) => hasColumn(capabilities, VIEW, 'last_idx_scan');

const lastOf = (names: readonly string[], oid: string) =>
  `greatest(${names.map((name) => `pg_catalog.pg_stat_get_last_${name}_time(${oid})`).join(', ')})`;

const LAST_MEASURED = lastOf(['vacuum', 'autovacuum', 'analyze', 'autoanalyze'], 'c.oid');
/** Analyze leaves TOAST as it is. */
const TOAST_MEASURED = lastOf(['vacuum', 'autovacuum'], 'c.reltoastrelid');

/** Of the table `c`: since when the catalog has its size. Unknown as soon as one of the two times is. */
const SIZE_AS_OF = `case
    when c.table_size is null then null
    when c.toast_pages > 0 or pg_catalog.pg_stat_get_tuples_inserted(c.reltoastrelid) > 0
    then case
      when ${TOAST_MEASURED} < ${LAST_MEASURED} then ${TOAST_MEASURED}
      when ${TOAST_MEASURED} >= ${LAST_MEASURED} then ${LAST_MEASURED}
    end
    else ${LAST_MEASURED}
  end`;

/** Every table ages with every transaction; in steps, only those that matter count as changed from run to run. */
const inMillions = (age: string) => `${age}::bigint / 1000000 * 1000000`;

/** `z` in the statement: all tables with the sums of their indexes, read once for the tables and their TOAST tables. */
const relations = (capabilities: Capabilities) => `select
    c.oid,
    c.relname,
    c.relnamespace,
    c.relkind,
    c.relpersistence,
    c.relhassubclass,
    c.relpages,
    c.reltuples,
    ${isCapped(capabilities) ? 'c.relallfrozen,' : ''}
    c.reltoastrelid,
    c.reloptions,
    c.relfrozenxid,
    c.relminmxid,
    x.*
  from ${CLASS} c
  left join (
    ${indexesOfTables({ hasTimes: hasTimes(capabilities) })}
  ) x on x.indrelid = c.oid
  where c.relkind in ('r', 't', 'm', 'p') and c.relpersistence <> 't'`;

/** Tables in their order with everything but what is asked of the statistics, which would be carried through the sort. */
const ordered = (capabilities: Capabilities, which: string) => `select
    c.oid,
    n.nspname,
    c.relname,
    c.relkind,
    c.relpersistence,
    c.relhassubclass,
    c.reltuples,
    c.reltoastrelid,
    c.relfrozenxid,
    c.relminmxid,
    c.idx_scan,
    ${hasTimes(capabilities) ? 'c.last_idx_scan,' : ''}
    c.idx_tup_fetch,
    c.idx_blks_read,
    c.idx_blks_hit,
    toast.idx_blks_read as tidx_blks_read,
    toast.idx_blks_hit as tidx_blks_hit,
    toast.relpages as toast_pages,
    case
      when c.relkind <> 'p' and (c.relpages > 0 or c.reltuples >= 0)
      then (c.relpages::bigint + coalesce(greatest(toast.relpages, 0), 0)) * g.block_size
    end as table_size,
    ${thresholds(capabilities)}
  from z c
  cross join g
  left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join z toast on toast.oid = c.reltoastrelid
  left join o on o.oid = c.oid
  ${which}
  order by ${serversLast("c.relkind = 't'", 'c.oid')}`;

const counted = (names: readonly string[]) =>
  names.map((name) => `pg_catalog.pg_stat_get_${name}(z.oid)`).join(' + ');

/** Dead rows and size come first: their shares are told. */
const RANKING: Ranking = {
  from: 'z',
  oid: 'z.oid',
  measures: [
    counted(['dead_tuples']),
    'z.relpages',
    counted(['tuples_inserted', 'tuples_updated', 'tuples_deleted']),
    counted(['tuples_returned', 'tuples_fetched']),
    `case when z.relfrozenxid <> '0' then pg_catalog.age(z.relfrozenxid) end`,
    `case when z.relminmxid <> '0' then pg_catalog.mxid_age(z.relminmxid) end`,
  ],
};

/** What a statement has beside that of a database all of whose tables are kept. */
interface Part {
  readonly kept: string;
  readonly which: string;
  readonly unwatched: string;
}

const MOST_IMPORTANT: Part = {
  kept: `, ${keptOf(RANKING)}`,
  which: `where ${isKept(RANKING, 'c.oid')}`,
  unwatched: `,\n  ${unwatchedOf(RANKING, 2, 'c.oid')}`,
};

const statement = (capabilities: Capabilities, { kept, which, unwatched }: Part) => `with g as materialized (
  ${settings(capabilities)}
), z as materialized (
  ${relations(capabilities)}
), o as materialized (
  ${ownParameters(capabilities)}
)${kept}
select
${viewColumns(capabilities, { view: VIEW, alias: 'c', expressions: TABLES }, ofView)},
${viewColumns(capabilities, { view: IO_VIEW, alias: 'c', expressions: TABLE_BLOCKS }, ofIoView)},
  c.relkind::text as relkind,
  c.relpersistence::text as relpersistence,
  c.table_size,
  ${SIZE_AS_OF} as size_as_of,
  case
    when c.reltuples >= 0 then c.reltuples::float8::bigint
    -- Analyze leaves those as they are.
    when c.relkind = 'p' and not c.relhassubclass then 0
  end as reltuples,
  c.vacuum_threshold,
  c.insert_vacuum_threshold,
  c.analyze_threshold,
  c.autovacuum_enabled,
  case when c.relfrozenxid <> '0' then ${inMillions('pg_catalog.age(c.relfrozenxid)')} end as relfrozenxid_age,
  case when c.relminmxid <> '0' then ${inMillions('pg_catalog.mxid_age(c.relminmxid)')} end as relminmxid_age,
  c.freeze_max_age,
  c.multixact_freeze_max_age${unwatched}
from (
  ${ordered(capabilities, which)}
) c`;

/** A table of a few pages is read in no time, however many of its rows are dead. */
const HARMLESS: readonly Floor[] = [
  { column: 'n_dead_tup', least: 1000 },
  { column: 'table_size', least: 131_072 },
];

export const probe = defineProbe({
  name: 'pg_stat_all_tables',
  description: 'Use, upkeep, blocks and size of each table; temporary ones are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW, IO_VIEW, CLASS],
  settings: ['track_counts'],
  // Catalogs that all databases share have ids below this one.
  births: { sharedBelow: 16_384, startsFromNull: true },
  columns: [...ofView, ...ofIoView, ...ofCatalog],
  metrics: [
    {
      name: 'dead_tuple_ratio',
      unit: 'percent',
      description: 'Dead rows of all rows; 0 without rows.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup', 'n_dead_tup'],
        scale: 100,
        empty: 0,
      },
    },
    {
      name: 'dead_tuple_percent',
      unit: 'percent',
      description:
        'Dead rows of all rows; unknown below 1,000 rows, and for rules 0 below 1,000 dead rows or 128 KiB.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup', 'n_dead_tup'],
        scale: 100,
        least: 1000,
        floors: HARMLESS,
      },
    },
    {
      name: 'table_bloat_ratio',
      wireName: 'table_bloat_ratio',
      unit: 'percent',
      description:
        'Dead rows against live rows; unknown below 1,000 live rows, and for rules 0 below 1,000 dead rows or 128 KiB.',
      combine: 'avg',
      worse: 'more',
      // A handful of rows says nothing: the catalogs of a fresh database would all be bloated.
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup'],
        scale: 100,
        least: 1000,
        floors: HARMLESS,
      },
    },
    {
      name: 'table_last_autovacuum_hours',
      wireName: 'table_last_autovacuum_hours',
      unit: '',
      description: 'Hours since a table passed its autovacuum threshold without having been vacuumed.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'hours above',
        pairs: [
          ['n_dead_tup', 'vacuum_threshold'],
          ['n_ins_since_vacuum', 'insert_vacuum_threshold'],
        ],
      },
    },
  ],
  unwatched: {
    objects: 'tables',
    by: 'dead rows, size, writes, reads and age',
    shares: ['the dead rows', 'the size'],
  },
  caps: { maxRows: MOST_OBJECTS, maxText: 256, timeoutMs: 15_000 },
  sql: (capabilities) => statement(capabilities, { kept: '', which: '', unwatched: '' }),
  mostImportant: (capabilities) => statement(capabilities, MOST_IMPORTANT),
});
