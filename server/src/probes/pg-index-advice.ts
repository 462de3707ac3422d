// Large tables with what the server knows of their columns and indexes, for advice on indexes that are missing. What statements would cost
// with one is added by the collector (collector/refine.ts). Guards: nothing is opened or locked, and tables that are too small to matter
// are left out.
import { TABLES } from './statistics-functions.ts';
import { defineProbe } from './types.ts';
import { counters, gauges, labels } from './view-columns.ts';

const LEAST_BYTES = 10 * 1024 * 1024;
const LEAST_ROWS = 10_000;
const MOST = 100;
const MOST_COLUMNS = 100;

export const probe = defineProbe({
  name: 'pg_index_advice',
  description: 'Large tables with statistics of their columns, their indexes, and what others would bring.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 30,
  keeps: 'snapshot',
  refine: { by: 'index-advice', from: 'pg_costly_statements' },
  columns: [
    { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id; stays when it is renamed.' },
    ...labels([
      ['schemaname', 'Schema.'],
      ['relname', 'Table.'],
    ]),
    ...gauges('bytes', [['table_bytes', 'Pages as of the last vacuum or analyze; without TOAST.']]),
    ...gauges('blocks', [['page_count', 'The same in pages.']]),
    ...gauges('rows', [['row_count', 'Rows as of the last vacuum or analyze.']]),
    ...counters('rows', [
      ['n_tup_ins', 'Rows inserted.'],
      ['n_tup_upd', 'Rows updated.'],
      ['n_tup_hot_upd', 'Rows updated without touching an index.'],
    ]),
    { name: 'is_readable', type: 'boolean', kind: 'label', description: 'Our role may read it.' },
    { name: 'columns', type: 'jsonb', kind: 'label', description: 'Columns with their statistics.' },
    { name: 'indexes', type: 'jsonb', kind: 'label', description: 'Columns of its indexes.' },
    { name: 'advice', type: 'jsonb', kind: 'label', description: 'Statements, and indexes that were tried.' },
  ],
  caps: { maxRows: MOST, maxBytes: 4 * 1024 * 1024, maxText: 256 },
  sql: () => `select
  c.oid::bigint as relid,
  n.nspname::text as schemaname,
  c.relname::text as relname,
  c.relpages * pg_catalog.current_setting('block_size')::bigint as table_bytes,
  c.relpages::bigint as page_count,
  c.reltuples::float8::bigint as row_count,
  ${TABLES.n_tup_ins} as n_tup_ins,
  ${TABLES.n_tup_upd} as n_tup_upd,
  ${TABLES.n_tup_hot_upd} as n_tup_hot_upd,
  pg_catalog.has_table_privilege(c.oid, 'select') as is_readable,
  (
    select pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object(
        'number', a.attnum,
        'name', a.attname,
        'is_sortable', t.typcategory not in ('G', 'U', 'X', 'P') or t.typname in ('uuid', 'bytea'),
        'n_distinct', p.n_distinct,
        'null_fraction', p.null_frac,
        'width', coalesce(p.avg_width, case when a.attlen > 0 then a.attlen else 32 end),
        'top_fraction', p.most_common_freqs[1]
      )
    )
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join lateral (
      select p.n_distinct, p.null_frac, p.avg_width, p.most_common_freqs
      from pg_catalog.pg_stats p
      where p.schemaname = n.nspname and p.tablename = c.relname and p.attname = a.attname and not p.inherited
      -- Planned by itself: the view is four joins, and planning grows with each more at once.
      offset 0
    ) p on true
    where a.attrelid = c.oid and a.attnum between 1 and ${MOST_COLUMNS} and not a.attisdropped
  ) as columns,
  (
    select pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object(
        'key', pg_catalog.to_jsonb((x.indkey::int2[])[0:x.indnkeyatts - 1]),
        'uses', (select pg_catalog.jsonb_agg(distinct d.refobjsubid) from pg_catalog.pg_depend d
          where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = x.indexrelid
            and d.refclassid = d.classid and d.refobjid = x.indrelid and d.refobjsubid > 0),
        'is_plain', x.indpred is null and x.indexprs is null and x.indisvalid
      )
    )
    from pg_catalog.pg_index x
    where x.indrelid = c.oid
  ) as indexes,
  null::jsonb as advice
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r'
  and c.relpersistence <> 't'
  and not c.relispartition
  and c.relpages * pg_catalog.current_setting('block_size')::bigint >= ${LEAST_BYTES}
  and c.reltuples >= ${LEAST_ROWS}
  and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
order by c.relpages desc, c.oid
limit ${MOST}`,
});
