// The statements that tools make themselves, as texts: they go the same way as those of assistants. Guards: names are quoted, and
// what is asked for is a value of the statement.
import { quoted } from '../../../monitored/read-only-sql/qualify.ts';

export interface Count {
  schema: string;
  table: string;
  /** One expression. */
  where: string | undefined;
}

export const countStatement = ({ schema, table, where }: Count): string =>
  `/* tool.count_rows */ select count(*) from ${quoted(schema)}.${quoted(table)}${where === undefined ? '' : ` where (${where}\n)`}`;

/** $1: a schema or null; $2: whether only tables with a vector. */
export const TABLES = `/* tool.tables */
  select n.nspname as schema, c.relname as name,
    case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
      when 'm' then 'materialized view' else 'foreign table' end as kind,
    case when c.reltuples >= 0 then c.reltuples::bigint end as estimated_rows,
    c.relpages::bigint * 8192 as estimated_bytes,
    pg_catalog.obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_toast%'
    and ($1::text is null or n.nspname = $1::text)
    and (not $2::boolean or exists (
      select from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid and t.typname in ('vector', 'halfvec')
      where a.attrelid = c.oid and not a.attisdropped))
  order by 1, 2`;

/** $1: schema, $2: table. */
export const COLUMNS = `/* tool.columns */
  select a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null,
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default_value,
    pg_catalog.col_description(a.attrelid, a.attnum) as comment
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where n.nspname = $1::text and c.relname = $2::text
  order by a.attnum`;

/** $1: schema, $2: table. */
export const INDEXES = `/* tool.indexes */
  select i.relname as name, pg_catalog.pg_get_indexdef(x.indexrelid) as definition, x.indisunique as is_unique,
    x.indisprimary as is_primary, x.indisvalid as is_valid
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_index x on x.indrelid = c.oid
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  where n.nspname = $1::text and c.relname = $2::text
  order by 1`;

/** Columns of pgvector, with what else their table has. $1: a table; $2: its schema or null. */
export const VECTORS = `/* tool.vectors */
  select n.nspname as schema, c.relname as name, a.attname as column, t.typname as type, m.nspname as type_schema,
    a.atttypmod as dimensions,
    (
      select pg_catalog.jsonb_agg(x.attname order by x.attnum)
      from pg_catalog.pg_attribute x
      join pg_catalog.pg_type y on y.oid = x.atttypid
      where x.attrelid = c.oid and x.attnum > 0 and not x.attisdropped
        and y.typname in ('text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', 'citext')
    ) as texts,
    (
      select pg_catalog.jsonb_agg(x.attname order by x.attnum)
      from pg_catalog.pg_index i
      join pg_catalog.pg_attribute x on x.attrelid = i.indrelid and x.attnum = any (i.indkey)
      where i.indrelid = c.oid and i.indisprimary
    ) as keys
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_type t on t.oid = a.atttypid and t.typname in ('vector', 'halfvec')
  join pg_catalog.pg_namespace m on m.oid = t.typnamespace
  where c.relkind in ('r', 'p', 'm', 'v')
    and c.relname = $1::text
    and ($2::text is null or n.nspname = $2::text)
    and n.nspname not in ('pg_catalog', 'information_schema')
  order by n.nspname, a.attnum`;

export interface Nearest {
  schema: string;
  name: string;
  column: string;
  type: string;
  type_schema: string;
  texts: readonly string[];
  keys: readonly string[];
  /** Of pgvector. */
  operator: '<=>' | '<->' | '<#>';
  most: number;
}

/** $1: a vector. Key columns first, then texts, then the distance. */
export function nearestStatement(asked: Nearest): string {
  const { schema, name, column, type, type_schema, texts, keys, operator, most } = asked;
  const columns = [...keys, ...texts].map((one) => `t.${quoted(one)}::pg_catalog.text`);
  const distance = `t.${quoted(column)} operator(${quoted(type_schema)}.${operator}) $1::${quoted(type_schema)}.${quoted(type)}`;
  return `/* tool.nearest */ select ${[...columns, `(${distance})::pg_catalog.float8`].join(', ')}
    from ${quoted(schema)}.${quoted(name)} t
    where t.${quoted(column)} is not null
    order by ${distance} limit ${Math.trunc(most)}`;
}
