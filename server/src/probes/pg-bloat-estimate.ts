// How large the largest tables and B-tree indexes are, and how large their rows need them to be. An estimate from the catalog and from
// the widths of columns that analyze found. Guards: nothing is opened or locked; where widths of a column are hidden from
// our role the need is unknown, never guessed; padding is counted generously, so that the need is rather too large.
import { defineProbe } from './types.ts';
import { gauges, labels } from './view-columns.ts';

const LEAST_PAGES = 1024;
const MOST = 500;

/** Object ids in pg_am, on every server. */
const HEAP = 2;
const BTREE = 403;

const aligned = (bytes: string) => `8 * pg_catalog.ceil((${bytes}) / 8.0)`;

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
    {
      name: 'is_exclusion',
      type: 'boolean',
      kind: 'label',
      description: 'Index of an exclusion constraint; null for a table.',
    },
    ...gauges('bytes', [
      [
        'actual_bytes',
        'Pages by the catalog, as of the last vacuum or analyze, as row_count is; without TOAST.',
      ],
      ['needed_bytes', 'Estimate of what its rows need; null where widths of its columns are hidden.'],
    ]),
    ...gauges('rows', [['row_count', 'Rows or entries as of the last vacuum or analyze.']]),
    ...gauges('bytes', [
      [
        'reclaimable_bytes',
        'Estimate of what a rewrite would free; 0 where its rows fill it, null where needed_bytes is null.',
      ],
    ]),
  ],
  caps: { maxRows: MOST, maxText: 256, timeoutMs: 15_000 },
  sql: () => `with big as materialized (
  select
    c.oid,
    case c.relkind when 'i' then 'index' else 'table' end as kind,
    c.relname,
    n.nspname,
    t.relname as table_name,
    x.indrelid,
    x.indkey,
    x.indisvalid,
    x.indisexclusion,
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
  left join pg_catalog.pg_index x on x.indexrelid = c.oid
  join pg_catalog.pg_class t on t.oid = coalesce(x.indrelid, c.oid)
  where c.relkind in ('r', 'm', 'i')
    and c.relam in (${HEAP}, ${BTREE})
    and c.relpages >= ${LEAST_PAGES}
    and c.reltuples >= 0
    and c.relpersistence <> 't'
    and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
  order by c.relpages desc, c.oid
  limit ${MOST}
)
select
  b.oid::bigint as relid,
  b.kind,
  b.nspname::text as schemaname,
  b.table_name::text as relname,
  case b.kind when 'index' then b.relname::text end as indexrelname,
  b.indisexclusion as is_exclusion,
  e.actual_bytes,
  e.needed_bytes,
  b.reltuples::float8::bigint as row_count,
  case
    when e.needed_bytes >= e.actual_bytes then 0
    else e.actual_bytes - e.needed_bytes
  end as reclaimable_bytes
from big b
cross join lateral (
  select
    pg_catalog.bool_and(a.attlen > 0 or s.avg_width is not null) as is_known,
    -- Of a row: the fixed width where the type has one, else what analyze found.
    pg_catalog.sum(
      (case when a.attlen > 0 then a.attlen else s.avg_width end + case when a.attalign = 'd' then 4 else 0 end)
        * (1 - coalesce(s.null_frac, 0))
    ) as width,
    case b.kind when 'table' then ${aligned('23 + pg_catalog.ceil(pg_catalog.count(*) / 8.0)')} else 8 end as header
  from pg_catalog.pg_attribute a
  -- Of an index on a column, analyze has found its width with the table's; of one on an expression, with the index.
  left join pg_catalog.pg_attribute o
    on o.attrelid = b.indrelid and o.attnum = b.indkey[a.attnum - 1] and o.attnum <> 0
  left join lateral (
    select p.avg_width, p.null_frac
    from pg_catalog.pg_stats p
    where p.schemaname = b.nspname
      and p.tablename = case when o.attname is null then b.relname else b.table_name end
      and p.attname = coalesce(o.attname, a.attname)
      and not p.inherited
    -- Planned by itself: the view is four joins, and planning grows with each more at once.
    offset 0
  ) s on true
  where a.attrelid = b.oid and a.attnum > 0 and not a.attisdropped
) w
cross join lateral (
  select
    b.relpages * b.block_size as actual_bytes,
    case
      when w.is_known
      then pg_catalog.ceil(
        b.reltuples::float8
          * (${aligned('w.header + w.width')} + 4)
          / ((b.block_size - case b.kind when 'index' then 40 else 24 end) * b.fillfactor / 100.0)
          * case b.kind when 'index' then 1.01 else 1 end
      )::bigint * b.block_size
    end as needed_bytes
) e
where w.is_known is not null and (b.kind = 'table' or b.indisvalid)
order by b.relpages desc, b.oid`,
});
