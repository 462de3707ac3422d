// How large the largest tables and B-tree indexes are, and how large their rows need them to be. An estimate from the catalog and from
// the widths of columns that analyze found. Guards: nothing is opened or locked; where widths of a column are hidden from
// our role the need is unknown, never guessed; padding is counted generously, so that the need is rather too large.
import { defineProbe } from './types.ts';
import { gauges, labels } from './view-columns.ts';

const LEAST_PAGES = 1024;
const MOST = 500;

const aligned = (bytes: string) => `8 * pg_catalog.ceil((${bytes}) / 8.0)`;

/** Of a row: the fixed width where the type has one, else what analyze found. */
const WIDTHS = `pg_catalog.bool_and(a.attlen > 0 or s.avg_width is not null) as is_known,
    pg_catalog.sum(
      (case when a.attlen > 0 then a.attlen else s.avg_width end + case when a.attalign = 'd' then 4 else 0 end)
        * (1 - coalesce(s.null_frac, 0))
    ) as width`;

export const probe = defineProbe({
  name: 'pg_bloat_estimate',
  description: 'Size of the largest tables and B-tree indexes, and an estimate of what their rows need.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 30,
  keeps: 'snapshot',
  columns: [
    { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id of the table or index.' },
    ...labels([
      ['kind', 'table or index.'],
      ['schemaname', 'Schema.'],
      ['relname', 'Table.'],
      ['indexrelname', 'Index; null for a table.'],
    ]),
    ...gauges('bytes', [
      ['actual_bytes', 'Pages by the catalog, as of the last vacuum or analyze; without TOAST.'],
      ['needed_bytes', 'Estimate of what its rows need; null where widths of its columns are hidden.'],
    ]),
    ...gauges('rows', [['row_count', 'Rows or entries as of the last vacuum or analyze.']]),
  ],
  caps: { maxRows: MOST, maxText: 256, timeoutMs: 15_000 },
  sql: () => `with big as materialized (
  select
    c.oid,
    case c.relkind when 'i' then 'index' else 'table' end as kind,
    c.relname,
    n.nspname,
    c.relpages,
    c.reltuples,
    coalesce(
      (
        select p.option_value::integer
        from pg_catalog.pg_options_to_table(c.reloptions) p
        where p.option_name = 'fillfactor'
      ),
      case c.relkind when 'i' then 90 else 100 end
    ) as fillfactor,
    pg_catalog.current_setting('block_size')::bigint as block_size
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_am m on m.oid = c.relam and m.amname in ('heap', 'btree')
  where c.relkind in ('r', 'm', 'i')
    and c.relpages >= ${LEAST_PAGES}
    and c.reltuples >= 0
    and c.relpersistence <> 't'
    and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
  order by c.relpages desc, c.oid
  limit ${MOST}
), need as materialized (
  select
    b.oid,
    b.oid as table_oid,
    ${WIDTHS},
    ${aligned('23 + pg_catalog.ceil(pg_catalog.count(*) / 8.0)')} as header
  from big b
  join pg_catalog.pg_attribute a on a.attrelid = b.oid and a.attnum > 0 and not a.attisdropped
  left join lateral (
    select t.avg_width, t.null_frac
    from pg_catalog.pg_stats t
    where t.schemaname = b.nspname and t.tablename = b.relname and t.attname = a.attname and not t.inherited
  ) s on true
  where b.kind = 'table'
  group by b.oid
  union all
  select b.oid, x.indrelid, ${WIDTHS}, 8
  from big b
  join pg_catalog.pg_index x on x.indexrelid = b.oid and x.indisvalid
  join pg_catalog.pg_class c on c.oid = x.indrelid
  join pg_catalog.pg_attribute a on a.attrelid = b.oid and a.attnum > 0
  left join pg_catalog.pg_attribute o on o.attrelid = x.indrelid and o.attnum = x.indkey[a.attnum - 1] and o.attnum <> 0
  left join lateral (
    select t.avg_width, t.null_frac
    from pg_catalog.pg_stats t
    where t.schemaname = b.nspname
      and t.tablename = case when o.attname is null then b.relname else c.relname end
      and t.attname = coalesce(o.attname, a.attname)
      and not t.inherited
  ) s on true
  where b.kind = 'index'
  group by b.oid, x.indrelid
)
select
  b.oid::bigint as relid,
  b.kind,
  b.nspname::text as schemaname,
  t.relname::text as relname,
  case b.kind when 'index' then b.relname::text end as indexrelname,
  b.relpages * b.block_size as actual_bytes,
  case
    when w.is_known
    then pg_catalog.ceil(
      b.reltuples::float8
        * (${aligned('w.header + w.width')} + 4)
        / ((b.block_size - case b.kind when 'index' then 40 else 24 end) * b.fillfactor / 100.0)
        * case b.kind when 'index' then 1.01 else 1 end
    )::bigint * b.block_size
  end as needed_bytes,
  b.reltuples::float8::bigint as row_count
from big b
join need w on w.oid = b.oid
join pg_catalog.pg_class t on t.oid = w.table_oid
order by b.relpages desc, b.oid`,
});
