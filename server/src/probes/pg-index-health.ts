// Indexes that cost more than they give, and foreign keys without one. Guards: only catalogs are compared, without a
// function that opens the relation, so nothing waits for a lock; an index that backs a constraint is never called
// unused or covered.
import { defineProbe } from './types.ts';
import { gauges, labels, times } from './view-columns.ts';

/** Node trees tell where in the statement each node stood; what is left compares expressions. */
const tree = (expression: string) =>
  `pg_catalog.regexp_replace(${expression}::text, ':location -?[0-9]+', '', 'g')`;

const INDEXES = `i as materialized (
  select
    x.indexrelid,
    x.indrelid,
    x.indisvalid,
    x.indisunique,
    x.indnkeyatts,
    c.relkind,
    n.nspname,
    t.relname as table_name,
    -- The server counts scans of partitions, and none of a partitioned index.
    case when t.relkind <> 'p' then pg_catalog.pg_stat_get_numscans(x.indexrelid) end as idx_scan,
    c.relname as index_name,
    a.amname,
    greatest(c.relpages, 0)::bigint * pg_catalog.current_setting('block_size')::bigint as index_size,
    x.indkey::int2[] as attributes,
    pg_catalog.array_to_string((x.indkey::int2[])[0:x.indnkeyatts - 1], ' ') as keys,
    pg_catalog.array_to_string(x.indclass::oid[], ' ') as classes,
    pg_catalog.array_to_string(x.indcollation::oid[], ' ') as collations,
    pg_catalog.array_to_string(x.indoption::int2[], ' ') as options,
    ${tree('x.indexprs')} as expressions,
    ${tree('x.indpred')} as predicate,
    x.indisunique
      or x.indisprimary
      or x.indisexclusion
      or x.indisreplident
      or exists (select from pg_catalog.pg_constraint o where o.conindid = x.indexrelid) as is_needed
  from pg_catalog.pg_index x
  join pg_catalog.pg_class c on c.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  join pg_catalog.pg_am a on a.oid = c.relam
  where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    and t.relpersistence <> 't'
)`;

/** `a` can go because `b` stays: the same index, or (btree) one that begins with all of it. */
const COVERED = `covered as materialized (
  select distinct on (a.indexrelid)
    a.indexrelid,
    case when a.keys = b.keys then 'duplicate' else 'overlapping' end as finding,
    b.index_name as covered_by
  from i a
  join i b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
  where not a.is_needed
    and a.relkind = 'i'
    and a.indisvalid
    and b.indisvalid
    and a.amname = b.amname
    and a.predicate is not distinct from b.predicate
    and a.attributes <@ b.attributes
    and case
      when a.keys = b.keys
      then a.classes = b.classes
        and a.collations = b.collations
        and a.options = b.options
        and a.expressions is not distinct from b.expressions
        -- Of two alike the older stays; one that is needed or holds more columns stays anyway.
        and (
          b.is_needed
          or pg_catalog.cardinality(b.attributes) > pg_catalog.cardinality(a.attributes)
          or b.indexrelid < a.indexrelid
        )
      else a.amname = 'btree'
        and a.expressions is null
        and pg_catalog.starts_with(b.keys, a.keys || ' ')
        and pg_catalog.starts_with(b.classes, a.classes || ' ')
        and pg_catalog.starts_with(b.collations, a.collations || ' ')
        and pg_catalog.starts_with(b.options, a.options || ' ')
    end
  order by a.indexrelid, a.keys = b.keys desc, b.is_needed desc, b.indexrelid
)`;

const FINDINGS = `found as (
  select i.indexrelid as object_oid, i.indrelid, 'invalid' as finding, null::name as covered_by
  from i
  where not i.indisvalid
    and not exists (
      select from pg_catalog.pg_stat_progress_create_index p where p.index_relid = i.indexrelid
    )
  union all
  select i.indexrelid, i.indrelid, v.finding, v.covered_by
  from covered v
  join i on i.indexrelid = v.indexrelid
  union all
  select i.indexrelid, i.indrelid, 'unused', null
  from i
  where i.idx_scan = 0 and i.indisvalid and not i.is_needed
  union all
  select f.oid, f.conrelid, 'missing_fk_index', null
  from pg_catalog.pg_constraint f
  join pg_catalog.pg_class t on t.oid = f.conrelid
  where f.contype = 'f'
    and f.conparentid = 0
    and t.relpersistence <> 't'
    and not exists (
      select
      from i
      where i.indrelid = f.conrelid
        and i.indisvalid
        and i.predicate is null
        and i.indnkeyatts >= pg_catalog.cardinality(f.conkey)
        and i.attributes[0:pg_catalog.cardinality(f.conkey) - 1] @> f.conkey
    )
)`;

export const probe = defineProbe({
  name: 'pg_index_health',
  description:
    'Indexes that are invalid, unused, duplicates or covered by others; foreign keys without an index.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 30,
  keeps: 'snapshot',
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
      ['index_size', 'Pages of the index by the catalog.'],
      ['table_size', 'Pages of the table by the catalog; null before its first vacuum or analyze.'],
    ]),
    ...gauges('count', [['idx_scan', 'Scans since the statistics were reset, on this server alone.']]),
    ...times([['stats_reset', "Last reset of the database's statistics."]]),
  ],
  metrics: [
    {
      name: 'invalid',
      unit: '',
      description: '1 for an index that is invalid and is not being built.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: [{ column: 'finding', in: ['invalid'] }] },
    },
  ],
  caps: { maxRows: 5000, maxText: 1024, timeoutMs: 15_000 },
  sql: () => `with ${INDEXES}, ${COVERED}, ${FINDINGS}
select
  f.object_oid::bigint as object_oid,
  f.finding as finding,
  n.nspname::text as schemaname,
  t.relname::text as relname,
  i.index_name::text as indexrelname,
  o.conname::text as constraint_name,
  (
    select pg_catalog.string_agg(coalesce(a.attname::text, '()'), ', ' order by k.place)
    from pg_catalog.unnest(coalesce(o.conkey, i.attributes)) with ordinality as k (number, place)
    left join pg_catalog.pg_attribute a on a.attrelid = f.indrelid and a.attnum = k.number and k.number <> 0
  ) as column_names,
  f.covered_by::text as covered_by,
  (
    select pg_catalog.array_agg(a.attname::text order by k.place)
    from pg_catalog.unnest(coalesce(o.conkey, i.attributes)) with ordinality as k (number, place)
    join pg_catalog.pg_attribute a on a.attrelid = f.indrelid and a.attnum = k.number and k.number <> 0
  ) as key_columns,
  t.relkind::text as table_kind,
  o.confrelid::bigint as referenced_oid,
  r.nspname || '.' || q.relname as referenced_table,
  i.index_size as index_size,
  case
    when t.relkind <> 'p' and (t.relpages > 0 or t.reltuples >= 0)
    then t.relpages::bigint * pg_catalog.current_setting('block_size')::bigint
  end as table_size,
  i.idx_scan as idx_scan,
  (
    select pg_catalog.pg_stat_get_db_stat_reset_time(d.oid)
    from pg_catalog.pg_database d
    where d.datname = pg_catalog.current_database()
  ) as stats_reset
from found f
join pg_catalog.pg_class t on t.oid = f.indrelid
join pg_catalog.pg_namespace n on n.oid = t.relnamespace
left join i on i.indexrelid = f.object_oid and f.finding <> 'missing_fk_index'
left join pg_catalog.pg_constraint o on o.oid = f.object_oid and f.finding = 'missing_fk_index'
left join pg_catalog.pg_class q on q.oid = o.confrelid
left join pg_catalog.pg_namespace r on r.oid = q.relnamespace
order by i.index_size desc nulls last, t.relpages desc, f.object_oid, f.finding`,
});
