// Indexes that cost more than they give, and foreign keys without one. Guards: only catalogs are compared, without a
// function that opens the relation, so nothing waits for a lock; an index that backs a constraint is never called
// unused or covered.
import { isBeingIndexed, OF_EXTENSIONS } from './statistics-functions.ts';
import { type Capabilities, defineProbe, hasColumn } from './types.ts';
import { gauges, labels, times } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_all_indexes';

/** Node trees tell where in the statement each node stood; what is left compares expressions. */
const tree = (expression: string) =>
  `pg_catalog.regexp_replace(${expression}::text, ':location -?[0-9]+', '', 'g')`;

/** Object id of btree in pg_am, on every server. */
const BTREE = 403;

const INDEXES = `i as materialized (
  select
    x.indexrelid,
    x.indrelid,
    x.indisvalid,
    x.indnkeyatts,
    c.relkind,
    -- Attached to the index of a partitioned table, with which alone it can be dropped.
    c.relispartition as is_attached,
    c.relam,
    t.relnamespace,
    t.relname as table_name,
    t.relkind as table_kind,
    t.relpages as table_pages,
    t.reltuples as table_rows,
    -- The server counts scans of partitions, and none of a partitioned index.
    case when t.relkind <> 'p' then pg_catalog.pg_stat_get_numscans(x.indexrelid) end as idx_scan,
    c.relname as index_name,
    greatest(c.relpages, 0)::bigint as index_pages,
    x.indkey::int2[] as attributes,
    pg_catalog.array_to_string((x.indkey::int2[])[0:x.indnkeyatts - 1], ' ') || ' ' as keys,
    x.indclass::text || ' ' as classes,
    x.indcollation::text || ' ' as collations,
    x.indoption::text || ' ' as options,
    ${tree('x.indexprs')} as expressions,
    ${tree('x.indpred')} as predicate,
    x.indisunique
      or x.indisprimary
      or x.indisexclusion
      or x.indisreplident
      or exists (select from pg_catalog.pg_constraint o where o.conindid = x.indexrelid)
      or x.indrelid in (${OF_EXTENSIONS}) as is_needed
  from pg_catalog.pg_index x
  join pg_catalog.pg_class c on c.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  where t.relnamespace not in (
      select n.oid
      from pg_catalog.pg_namespace n
      where n.nspname in ('pg_catalog', 'information_schema', 'pg_toast')
    )
    and t.relpersistence <> 't'
)`;

/** What is said of each key column of `a` is said of the first ones of `b`; texts, since arrays take longer to compare. */
const SAME_KEYS = ['keys', 'classes', 'collations', 'options']
  .map((name) => `pg_catalog.starts_with(b.${name}, a.${name})`)
  .join('\n    and ');

/** `a` can go because `b` stays: the same index, or (btree) one that begins with all of it. */
const COVERED = `covered as (
  select distinct on (a.indexrelid)
    a.indexrelid,
    case when a.indnkeyatts = b.indnkeyatts then 'duplicate' else 'overlapping' end as finding,
    b.index_name as covered_by
  from i a
  join i b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
  where not a.is_needed
    and not a.is_attached
    and a.indisvalid
    and b.indisvalid
    and a.relam = b.relam
    and a.predicate is not distinct from b.predicate
    and a.attributes <@ b.attributes
    and ${SAME_KEYS}
    and case
      when a.indnkeyatts = b.indnkeyatts
      then a.expressions is not distinct from b.expressions
        -- Of two alike the older stays; one that is needed or holds more columns stays anyway.
        and (
          b.is_needed
          or pg_catalog.cardinality(b.attributes) > pg_catalog.cardinality(a.attributes)
          or b.indexrelid < a.indexrelid
        )
      else a.indnkeyatts < b.indnkeyatts and a.relam = ${BTREE} and a.expressions is null
    end
  order by a.indexrelid, a.indnkeyatts = b.indnkeyatts desc, b.is_needed desc, b.indexrelid
)`;

/** Of the partitioned index `i`. */
const PAGES_OF_PARTITIONS = `(
      with recursive below (oid) as (
        select h.inhrelid
        from pg_catalog.pg_inherits h
        where h.inhparent = i.indexrelid
        union all
        select h.inhrelid
        from below b
        join pg_catalog.pg_inherits h on h.inhparent = b.oid
      )
      select pg_catalog.sum(greatest(c.relpages, 0))::bigint
      from below b
      join pg_catalog.pg_class c on c.oid = b.oid
    )`;

const serves = (index: string) => `${index}.indisvalid
        and ${index}.predicate is null
        and ${index}.indnkeyatts >= pg_catalog.cardinality(f.conkey)
        and ${index}.attributes[0:pg_catalog.cardinality(f.conkey) - 1] @> f.conkey`;

/** A foreign key for which the index `i` alone can find rows. */
const SERVED = `(
      select pg_catalog.min(f.conname::text)
      from pg_catalog.pg_constraint f
      where f.conrelid = i.indrelid
        and f.contype = 'f'
        and ${serves('i')}
        and not exists (
          select from i o where o.indrelid = i.indrelid and o.indexrelid <> i.indexrelid and ${serves('o')}
        )
    )`;

/** An index can have several findings, and each is a row. */
const FINDINGS = `found as (
  select
    i.indexrelid as object_oid,
    f.finding,
    i.relnamespace,
    i.indrelid,
    i.table_name,
    i.table_kind,
    i.table_pages,
    i.table_rows,
    i.index_name,
    case when i.relkind = 'I' then ${PAGES_OF_PARTITIONS} else i.index_pages end as index_pages,
    i.idx_scan,
    null::name as constraint_name,
    i.attributes as numbers,
    case when f.finding = v.finding then v.covered_by end as covered_by,
    case when f.finding = 'unused' then ${SERVED} end as foreign_key,
    null::oid as referenced_oid
  from i
  left join covered v on v.indexrelid = i.indexrelid
  cross join pg_catalog.unnest(array[
    case
      when not i.indisvalid and not ${isBeingIndexed('i.indrelid')} then 'invalid'
    end,
    v.finding,
    case when i.idx_scan = 0 and i.indisvalid and not i.is_needed and not i.is_attached then 'unused' end
  ]) f (finding)
  where f.finding is not null
  union all
  select
    f.oid,
    'missing_fk_index',
    t.relnamespace,
    f.conrelid,
    t.relname,
    t.relkind,
    t.relpages,
    t.reltuples,
    null,
    null,
    null,
    f.conname,
    f.conkey,
    null,
    null,
    f.confrelid
  from pg_catalog.pg_constraint f
  join pg_catalog.pg_class t on t.oid = f.conrelid
  where f.contype = 'f'
    and f.conparentid = 0
    and t.relpersistence <> 't'
    and not exists (
      select from i where i.indrelid = f.conrelid and ${serves('i')}
    )
)`;

/** Since 19 each index has its own; greatest() leaves out what is null. */
const indexReset = (capabilities: Capabilities) =>
  hasColumn(capabilities, VIEW, 'stats_reset')
    ? 'case when f.constraint_name is null then pg_catalog.pg_stat_get_stat_reset_time(f.object_oid) end,'
    : '';

export const probe = defineProbe({
  name: 'pg_index_health',
  description:
    'Indexes that are invalid, unused, duplicates or covered by others; foreign keys without an index.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 30,
  keeps: 'snapshot',
  views: [VIEW],
  columns: [
    { name: 'object_oid', type: 'bigint', kind: 'key', description: 'Object id of the index or constraint.' },
    {
      name: 'finding',
      type: 'text',
      kind: 'key',
      description: 'invalid, duplicate, overlapping, unused or missing_fk_index.',
    },
    ...labels([
      ['schemaname', 'Schema.'],
      ['relname', 'Table.'],
      ['indexrelname', 'Index; null for a foreign key.'],
      ['constraint_name', 'Foreign key; null for an index.'],
      ['column_names', 'Columns of the index or foreign key in their order; an expression is ().'],
      ['covered_by', 'Index that makes this one superfluous.'],
      ['foreign_key', 'Of an unused index: foreign key for which no other index finds rows.'],
    ]),
    {
      name: 'key_columns',
      type: 'text[]',
      kind: 'label',
      description: 'The same columns one by one, without expressions.',
    },
    ...labels([['table_kind', 'r table, p partitioned, m materialized view.']]),
    {
      name: 'referenced_oid',
      type: 'bigint',
      kind: 'label',
      description: 'Object id of the table that a foreign key refers to.',
    },
    ...labels([['referenced_table', 'That table, with its schema.']]),
    ...gauges('bytes', [
      ['index_size', 'Pages of the index by the catalog; of a partitioned one those of its partitions.'],
      ['table_size', 'Pages of the table by the catalog; null before its first vacuum or analyze.'],
    ]),
    ...gauges('count', [['idx_scan', 'Scans since the statistics were reset, on this server alone.']]),
    ...times([['stats_reset', "Last reset of the database's statistics, or of the index's own (19+)."]]),
  ],
  metrics: [
    {
      name: 'invalid',
      unit: '',
      description:
        '1 for an index that is invalid while no index of its table is being built; told by the primary alone.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: [{ column: 'finding', in: ['invalid'] }] },
    },
  ],
  caps: { maxRows: 5000, maxText: 1024, timeoutMs: 15_000 },
  sql: (capabilities) => `with ${INDEXES}, ${COVERED}, ${FINDINGS}
select
  f.object_oid::bigint as object_oid,
  f.finding as finding,
  (select n.nspname::text from pg_catalog.pg_namespace n where n.oid = f.relnamespace) as schemaname,
  f.table_name::text as relname,
  f.index_name::text as indexrelname,
  f.constraint_name::text as constraint_name,
  pg_catalog.array_to_string(f.names, ', ', '()') as column_names,
  f.covered_by::text as covered_by,
  f.foreign_key as foreign_key,
  nullif(pg_catalog.array_remove(f.names, null), '{}') as key_columns,
  f.table_kind::text as table_kind,
  f.referenced_oid::bigint as referenced_oid,
  (
    select r.nspname || '.' || q.relname
    from pg_catalog.pg_class q
    join pg_catalog.pg_namespace r on r.oid = q.relnamespace
    where q.oid = f.referenced_oid
  ) as referenced_table,
  f.index_pages * pg_catalog.current_setting('block_size')::bigint as index_size,
  case
    when f.table_kind <> 'p' and (f.table_pages > 0 or f.table_rows >= 0)
    then f.table_pages::bigint * pg_catalog.current_setting('block_size')::bigint
  end as table_size,
  f.idx_scan as idx_scan,
  greatest(
    ${indexReset(capabilities)}
    (
      select pg_catalog.pg_stat_get_db_stat_reset_time(d.oid)
      from pg_catalog.pg_database d
      where d.datname = pg_catalog.current_database()
    )
  ) as stats_reset
from (
  select
    f.*,
    array(
      select (
        select a.attname::text
        from pg_catalog.pg_attribute a
        where a.attrelid = f.indrelid and a.attnum = k.number and k.number <> 0
      )
      from pg_catalog.unnest(f.numbers) k (number)
    ) as names
  from found f
  order by f.index_pages desc nulls last, f.table_pages desc, f.object_oid, f.finding
) f`,
});
