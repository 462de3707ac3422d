// The functions behind the views of statistics, by the views' columns. The views join what every reader of them joins again
// (a table's indexes, its TOAST table, the names) and the server expands and plans each of them anew in every new session,
// which takes longer than to read the statistics. Guards: which columns there are is still what the server's own views say
// (viewColumns), so a function is named only where its column is there; a test reads the views beside it on every version.
// Source: pg_get_viewdef of pg_stat_all_tables, pg_stat_all_indexes, pg_statio_all_tables, pg_statio_all_indexes,
// pg_statio_all_sequences and pg_stat_progress_create_index.

/** Columns of a view and the expression for each. */
export type Expressions = Readonly<Record<string, string>>;

const of = (name: string, oid: string) => `pg_catalog.pg_stat_get_${name}(${oid})`;
const blocksRead = (oid: string) => `(${of('blocks_fetched', oid)} - ${of('blocks_hit', oid)})`;

/** Names of the relation `c`, whose namespace is `schema`. */
const names = (schema: string) => ({ relid: 'c.oid', schemaname: schema, relname: 'c.relname' });

/**
 * Sorts what came with the server last, among the others and among those what `isLate` last, and the rest by `oid`, which names a
 * row. One number instead of three keys: a second key is looked up in the wide row at each comparison.
 */
export const serversLast = (isLate: string, oid: string, table = oid): string =>
  `case when ${table} < 16384 then 8589934592 else 0 end + case when ${isLate} then 4294967296 else 0 end + ${oid}::bigint`;

/**
 * One row for each table that has indexes, whatever the table is: indrelid, idx_scan, last_idx_scan (where `hasTimes`),
 * idx_tup_fetch without what the table itself counts, idx_blks_read, idx_blks_hit.
 */
export const indexesOfTables = ({ hasTimes }: { hasTimes: boolean }): string => `select
    i.indrelid,
    pg_catalog.sum(${of('numscans', 'i.indexrelid')})::bigint as idx_scan,
    ${hasTimes ? `pg_catalog.max(${of('lastscan', 'i.indexrelid')}) as last_idx_scan,` : ''}
    pg_catalog.sum(${of('tuples_fetched', 'i.indexrelid')})::bigint as idx_tup_fetch,
    pg_catalog.sum(${blocksRead('i.indexrelid')})::bigint as idx_blks_read,
    pg_catalog.sum(${of('blocks_hit', 'i.indexrelid')})::bigint as idx_blks_hit
  from pg_catalog.pg_index i
  group by i.indrelid`;

const VISITS = ['vacuum_count', 'autovacuum_count', 'analyze_count', 'autoanalyze_count'];

/**
 * Live rows of the table `c`. After a reset, a crash or an upgrade the server counts from 0, and more rows than were inserted since are
 * there: until its next vacuum or analyze, what the catalog says of the last one is where it begins.
 */
const LIVE_ROWS = `case
    when c.relkind <> 'p'
      and c.reltuples > ${of('tuples_inserted', 'c.oid')}
      and ${VISITS.map((name) => of(name, 'c.oid')).join(' + ')} = 0
    then greatest(
      ${of('live_tuples', 'c.oid')},
      c.reltuples::float8::bigint + ${of('tuples_inserted', 'c.oid')} - ${of('tuples_deleted', 'c.oid')}
    )
    else ${of('live_tuples', 'c.oid')}
  end`;

/** pg_stat_all_tables of the table `c` with its `nspname` and what indexesOfTables tells of it. */
export const TABLES: Expressions = {
  ...names('c.nspname'),
  seq_scan: of('numscans', 'c.oid'),
  last_seq_scan: of('lastscan', 'c.oid'),
  seq_tup_read: of('tuples_returned', 'c.oid'),
  idx_scan: 'c.idx_scan',
  last_idx_scan: 'c.last_idx_scan',
  idx_tup_fetch: `(c.idx_tup_fetch + ${of('tuples_fetched', 'c.oid')})`,
  n_tup_ins: of('tuples_inserted', 'c.oid'),
  n_tup_upd: of('tuples_updated', 'c.oid'),
  n_tup_del: of('tuples_deleted', 'c.oid'),
  n_tup_hot_upd: of('tuples_hot_updated', 'c.oid'),
  n_tup_newpage_upd: of('tuples_newpage_updated', 'c.oid'),
  n_live_tup: LIVE_ROWS,
  n_dead_tup: of('dead_tuples', 'c.oid'),
  n_mod_since_analyze: of('mod_since_analyze', 'c.oid'),
  n_ins_since_vacuum: of('ins_since_vacuum', 'c.oid'),
  last_vacuum: of('last_vacuum_time', 'c.oid'),
  last_autovacuum: of('last_autovacuum_time', 'c.oid'),
  last_analyze: of('last_analyze_time', 'c.oid'),
  last_autoanalyze: of('last_autoanalyze_time', 'c.oid'),
  vacuum_count: of('vacuum_count', 'c.oid'),
  autovacuum_count: of('autovacuum_count', 'c.oid'),
  analyze_count: of('analyze_count', 'c.oid'),
  autoanalyze_count: of('autoanalyze_count', 'c.oid'),
  total_vacuum_time: of('total_vacuum_time', 'c.oid'),
  total_autovacuum_time: of('total_autovacuum_time', 'c.oid'),
  total_analyze_time: of('total_analyze_time', 'c.oid'),
  total_autoanalyze_time: of('total_autoanalyze_time', 'c.oid'),
  stats_reset: of('stat_reset_time', 'c.oid'),
};

/** Null where the view has no row: of a partitioned table there are no blocks. */
const stored = (expression: string) => `case when c.relkind <> 'p' then ${expression} end`;
/** Null where there is no TOAST table. */
const toasted = (expression: string) => `case when c.reltoastrelid <> 0 then ${expression} end`;

/** pg_statio_all_tables of the table `c`, with what indexesOfTables tells of it, and of its TOAST table as tidx_*. */
export const TABLE_BLOCKS: Expressions = {
  heap_blks_read: stored(blocksRead('c.oid')),
  heap_blks_hit: stored(of('blocks_hit', 'c.oid')),
  idx_blks_read: stored('c.idx_blks_read'),
  idx_blks_hit: stored('c.idx_blks_hit'),
  toast_blks_read: toasted(blocksRead('c.reltoastrelid')),
  toast_blks_hit: toasted(of('blocks_hit', 'c.reltoastrelid')),
  tidx_blks_read: 'c.tidx_blks_read',
  tidx_blks_hit: 'c.tidx_blks_hit',
};

/** pg_stat_all_indexes of the index `d`, which `i` describes, of the table `c` in the namespace `n`. */
export const INDEXES: Expressions = {
  ...names('n.nspname'),
  indexrelid: 'd.oid',
  indexrelname: 'd.relname',
  idx_scan: of('numscans', 'd.oid'),
  last_idx_scan: of('lastscan', 'd.oid'),
  idx_tup_read: of('tuples_returned', 'd.oid'),
  idx_tup_fetch: of('tuples_fetched', 'd.oid'),
  stats_reset: of('stat_reset_time', 'd.oid'),
};

/** pg_statio_all_indexes of the index `d`. */
export const INDEX_BLOCKS: Expressions = {
  idx_blks_read: blocksRead('d.oid'),
  idx_blks_hit: of('blocks_hit', 'd.oid'),
};

/** pg_statio_all_sequences of the sequence `c` in the namespace `n`. */
export const SEQUENCE_BLOCKS: Expressions = {
  ...names('n.nspname'),
  blks_read: blocksRead('c.oid'),
  blks_hit: of('blocks_hit', 'c.oid'),
  stats_reset: of('stat_reset_time', 'c.oid'),
};

/**
 * Whether pg_stat_progress_create_index has a row for the table. Reindexing a table concurrently makes all its new indexes first and then
 * builds one after the other, and the row names only the one at hand. A standby does not see what its primary builds.
 */
export const isBeingIndexed = (relid: string): string => `(pg_catalog.pg_is_in_recovery() or exists (
          select
          from pg_catalog.pg_stat_get_progress_info('CREATE INDEX') p
          where p.relid = ${relid}
        ))`;

/** Tables that extensions made: their indexes as well come again with the next version. */
export const OF_EXTENSIONS = `select p.objid
    from pg_catalog.pg_depend p
    where p.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      and p.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
      and p.deptype = 'e'`;
