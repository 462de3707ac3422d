// Use, upkeep, blocks and size of tables, system tables and TOAST included. Guards: nothing here waits for a lock, so
// sizes come from the catalog (as of the last vacuum or analyze) and not from the files; a table never looked at has
// no size rather than 0. The thresholds are those that autovacuum itself goes by.
import { indexesOfTables, TABLE_BLOCKS, TABLES } from './statistics-functions.ts';
import { type Capabilities, defineProbe, hasColumn } from './types.ts';
import { counters, gauges, labels, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_all_tables';
const IO_VIEW = 'pg_catalog.pg_statio_all_tables';
const CLASS = 'pg_catalog.pg_class';

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
  ...gauges('bytes', [['table_size', 'Pages with TOAST as of the last vacuum or analyze; null before one.']]),
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

/** Settings that thresholds follow from, read once and not for each table; `g` in the statement. */
const SETTINGS = {
  block_size: 'bigint',
  autovacuum: 'boolean',
  autovacuum_vacuum_threshold: 'float8',
  autovacuum_vacuum_scale_factor: 'float8',
  autovacuum_vacuum_insert_threshold: 'float8',
  autovacuum_vacuum_insert_scale_factor: 'float8',
  autovacuum_analyze_threshold: 'float8',
  autovacuum_analyze_scale_factor: 'float8',
  autovacuum_freeze_max_age: 'bigint',
  autovacuum_multixact_freeze_max_age: 'bigint',
} as const;

const settings = (capabilities: Capabilities) =>
  Object.entries({
    ...SETTINGS,
    ...(isCapped(capabilities) && { autovacuum_vacuum_max_threshold: 'float8' }),
  })
    .map(([name, type]) => `    pg_catalog.current_setting('${name}')::${type} as ${name}`)
    .join(',\n');

/** The storage parameter where it is set and in force, else the setting. */
function parameter(name: string, type: string, inForce = '>= 0'): string {
  const own = `(c.options ->> 'autovacuum_${name}')::${type}`;
  return `case when ${own} ${inForce} then ${own} else g.autovacuum_${name} end`;
}

const isCapped = (capabilities: Capabilities) =>
  capabilities.columns.get(CLASS)?.has('relallfrozen') ?? false;

/** 18 counts only the pages that are not all frozen, and caps the threshold. */
function insertShare(capabilities: Capabilities): string {
  if (!isCapped(capabilities)) return '1';
  return `case
      when c.relpages > 0 then 1 - least(c.relallfrozen, c.relpages)::float8 / c.relpages
      else 1
    end`;
}

function vacuumRows(capabilities: Capabilities): string {
  const vacuum = `${parameter('vacuum_threshold', 'float8')}
    + ${parameter('vacuum_scale_factor', 'float8')} * greatest(c.reltuples, 0)`;
  const most = parameter('vacuum_max_threshold', 'float8', '>= -1');
  return isCapped(capabilities)
    ? `case when ${most} >= 0 then least(${most}, ${vacuum}) else ${vacuum} end`
    : vacuum;
}

const insertBase = parameter('vacuum_insert_threshold', 'float8', '>= -1');

const insertRows = (capabilities: Capabilities) => `${insertBase}
    + ${parameter('vacuum_insert_scale_factor', 'float8')} * greatest(c.reltuples, 0) * ${insertShare(capabilities)}`;

const ANALYZE_ROWS = `${parameter('analyze_threshold', 'float8')}
    + ${parameter('analyze_scale_factor', 'float8')} * greatest(c.reltuples, 0)`;

/** Every table ages with every transaction; in steps, only those that matter count as changed from run to run. */
const inMillions = (age: string) => `${age}::bigint / 1000000 * 1000000`;

function freezeAge(name: string): string {
  const own = `(c.options ->> 'autovacuum_${name}')::bigint`;
  const all = `g.autovacuum_${name}`;
  return `case when c.relfrozenxid <> '0' then least(coalesce(nullif(${own}, -1), ${all}), ${all}) end as ${name}`;
}

export const probe = defineProbe({
  name: 'pg_stat_all_tables',
  description: 'Use, upkeep, blocks and size of each table; temporary ones are left out.',
  level: 'D',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'objects',
  views: [VIEW, IO_VIEW, CLASS],
  settings: ['track_counts'],
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
      description: 'Dead rows of all rows; unknown below 1,000 rows.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'ratio of gauges',
        of: ['n_dead_tup'],
        to: ['n_live_tup', 'n_dead_tup'],
        scale: 100,
        least: 1000,
      },
    },
    {
      name: 'table_bloat_ratio',
      wireName: 'table_bloat_ratio',
      unit: 'percent',
      description: 'Dead rows against live rows; unknown below 1,000 live rows.',
      combine: 'avg',
      worse: 'more',
      // A handful of rows says nothing: the catalogs of a fresh database would all be bloated.
      value: { kind: 'ratio of gauges', of: ['n_dead_tup'], to: ['n_live_tup'], scale: 100, least: 1000 },
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
  caps: { maxRows: 10_000, maxText: 256, timeoutMs: 15_000 },
  sql: (capabilities) => `with g as materialized (
  select
${settings(capabilities)}
), x as materialized (
  ${indexesOfTables({ hasTimes: hasColumn(capabilities, VIEW, 'last_idx_scan') })}
), c as materialized (
  select
    c.*,
    toast.relpages as toast_pages,
    -- A TOAST table without parameters of its own goes by those of its table; hardly any table has one.
    case
      when coalesce(c.reloptions, main.reloptions) is not null
      then (
        select pg_catalog.jsonb_object_agg(p.option_name, p.option_value)
        from pg_catalog.pg_options_to_table(coalesce(c.reloptions, main.reloptions)) p
      )
    end as options
  from pg_catalog.pg_class c
  left join pg_catalog.pg_class toast on toast.oid = c.reltoastrelid and c.reltoastrelid <> 0
  left join pg_catalog.pg_class main on c.relkind = 't' and main.reltoastrelid = c.oid
  where c.relkind in ('r', 't', 'm', 'p') and c.relpersistence <> 't'
)
select
${viewColumns(capabilities, { view: VIEW, alias: 'c', expressions: TABLES }, ofView)},
${viewColumns(capabilities, { view: IO_VIEW, alias: 'c', expressions: TABLE_BLOCKS }, ofIoView)},
  c.relkind::text as relkind,
  c.relpersistence::text as relpersistence,
  case
    when c.relkind <> 'p' and (c.relpages > 0 or c.reltuples >= 0)
    then (c.relpages::bigint + coalesce(greatest(c.toast_pages, 0), 0)) * g.block_size
  end as table_size,
  case
    when c.reltuples >= 0 then c.reltuples::float8::bigint
    -- Analyze leaves those as they are.
    when c.relkind = 'p' and not c.relhassubclass then 0
  end as reltuples,
  case when c.relkind <> 'p' then pg_catalog.floor(${vacuumRows(capabilities)})::bigint end as vacuum_threshold,
  case
    when c.relkind <> 'p' and ${insertBase} >= 0
    then pg_catalog.floor(${insertRows(capabilities)})::bigint
  end as insert_vacuum_threshold,
  case when c.relkind in ('r', 'm') then pg_catalog.floor(${ANALYZE_ROWS})::bigint end as analyze_threshold,
  case
    when c.relkind <> 'p'
    then g.autovacuum and coalesce((c.options ->> 'autovacuum_enabled')::boolean, true)
  end as autovacuum_enabled,
  case when c.relfrozenxid <> '0' then ${inMillions('pg_catalog.age(c.relfrozenxid)')} end as relfrozenxid_age,
  case when c.relminmxid <> '0' then ${inMillions('pg_catalog.mxid_age(c.relminmxid)')} end as relminmxid_age,
  ${freezeAge('freeze_max_age')},
  ${freezeAge('multixact_freeze_max_age')}
from c
cross join g
left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join x on x.indrelid = c.oid
left join x y on y.indrelid = c.reltoastrelid and c.reltoastrelid <> 0
order by c.oid < 16384, c.relkind = 't', c.oid`,
});
