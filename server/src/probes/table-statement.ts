// The statement of pg_stat_all_tables: all tables of a database or, of very many, those that matter most. Guards: nothing here waits for a
// lock; what is asked of the statistics is asked after the sort.
import { CLASS, isCapped, ownParameters, settings, thresholds } from './autovacuum-thresholds.ts';
import { isKept, keptOf, type Ranking, unwatchedOf } from './most-important.ts';
import { indexesOfTables, serversLast, TABLE_BLOCKS, TABLES } from './statistics-functions.ts';
import { IO_VIEW, ofIoView, ofView, VIEW } from './table-columns.ts';
import { type Capabilities, hasColumn } from './types.ts';
import { viewColumns } from './view-columns.ts';

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

/** The statement that reads all tables, or those that matter most of very many. */
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

export const allTables = (capabilities: Capabilities): string =>
  statement(capabilities, { kept: '', which: '', unwatched: '' });

export const mostImportantTables = (capabilities: Capabilities): string =>
  statement(capabilities, MOST_IMPORTANT);
