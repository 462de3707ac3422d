// The newest rows of a probe for many connections: of samples and snapshots as they are kept whole, of change-tracked
// probes the facts in force, of families of objects the ticks since the newest whole keyframe.
import { identifier, join, prepared, type Sql, sql } from '../../kernel/sql.ts';
import type { Condition } from '../../probes/metric-types.ts';
import type { Column } from '../../probes/types.ts';

export interface NewestRead {
  probe: string;
  columns: readonly Column[];
  connection_ids: readonly number[];
  database_name: string | undefined;
  order: { column: string; descending: boolean } | undefined;
  meeting?: Meeting | undefined;
}

/** Only rows that meet all conditions of one of the lists, and all rows of these connections. */
export interface Meeting {
  allOf: readonly number[];
  any: readonly (readonly Condition[])[];
}

/** Types of declared columns. */
const TYPES: Record<Column['type'], Sql> = {
  text: sql`text`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  boolean: sql`boolean`,
  'double precision': sql`double precision`,
  'timestamp with time zone': sql`timestamptz`,
  'text[]': sql`text[]`,
  jsonb: sql`jsonb`,
};

export const columnType = ({ type }: Column): Sql => TYPES[type];

const typed = (columns: readonly Column[]) =>
  join(columns.map((column) => sql`${identifier(column.name)} ${columnType(column)}`));

const own = (columns: readonly Column[]) => join(columns.map((column) => sql`v.${identifier(column.name)}`));

function orderBy({ order }: NewestRead, names: Sql): Sql {
  const first = order
    ? sql`v.${identifier(order.column)} ${order.descending ? sql`desc` : sql`asc`} nulls last, `
    : sql``;
  return sql`order by ${first}${names}`;
}

const inDatabase = (name: string | undefined, column: Sql) =>
  name === undefined ? sql`` : sql`and ${column} = ${name}`;

const COMPARED = new Set<Column['type']>(['text', 'boolean', 'integer', 'bigint', 'double precision']);

/** Undefined: it is not for the datastore to say. */
function conditionOf(columns: readonly Column[], condition: Condition): Sql | undefined {
  if ('either' in condition) return undefined;
  const column = columns.find(({ name }) => name === condition.column);
  if (!column || !COMPARED.has(column.type) || !('in' in condition)) return undefined;
  const is = (cell: (typeof condition.in)[number]) =>
    sql`v.${identifier(column.name)} is not distinct from ${cell}::${columnType(column)}`;
  return sql`(${join(condition.in.map(is), sql` or `)})`;
}

function meeting({ columns, meeting: asked }: NewestRead): Sql {
  if (!asked) return sql``;
  const lists = asked.any.map((own) => own.map((one) => conditionOf(columns, one)));
  const known = lists.map((own) => own.filter((one) => one !== undefined));
  // Rows beyond are judged by whoever asked.
  if (known.some(({ length }) => length === 0)) return sql``;
  const any = known.map((own) => sql`(${join(own, sql` and `)})`);
  return sql`and (${join(any, sql` or `)} or s.connection_id = any (${asked.allOf}::integer[]))`;
}

/** {connection_id, database_name, collected_at, since, …columns} */
export const newestSamples = (read: NewestRead): Sql => sql`
  /* store.newest_rows */
  select s.connection_id, s.database_name, s.collected_at, null::timestamptz as since, ${own(read.columns)}
  from metrics.current_snapshots s
  cross join lateral jsonb_to_recordset(s.rows) as v (${typed(read.columns)})
  where s.connection_id = any (${read.connection_ids}::integer[])
    and s.probe = ${read.probe}
    and s.collected_at is not null
    ${inDatabase(read.database_name, sql`s.database_name`)}
    ${meeting(read)}
  ${orderBy(read, sql`s.connection_id, s.database_name`)}`;

/** Items of change-tracked probes; `since` is when they came to be so. */
export const newestFacts = (read: NewestRead): Sql => sql`
  /* store.newest_facts */
  select f.connection_id, f.database_name, s.collected_at, f.valid_from as since, ${own(read.columns)}
  from metrics.facts f
  left join metrics.current_snapshots s
    on s.connection_id = f.connection_id and s.probe = f.probe and s.database_name = f.database_name
  cross join lateral jsonb_to_record(f.value) as v (${typed(read.columns)})
  where f.connection_id = any (${read.connection_ids}::integer[])
    and f.probe = ${read.probe}
    and f.valid_to is null
    ${inDatabase(read.database_name, sql`f.database_name`)}
  ${orderBy(read, sql`f.connection_id, f.database_name, f.item_key`)}`;

/** As limitsOf (metric.ts) reads it, for a statement that has the connection and what limits it: a number, or null. */
export const newestLimit = (of: { connection: Sql; probe: Sql; column: Sql }): Sql => sql`(
  select max((v.value ->> ${of.column})::double precision)
  from (
    select f.value
    from metrics.facts f
    where f.connection_id = ${of.connection} and f.probe = ${of.probe} and f.valid_to is null
    union all
    select r.value
    from metrics.current_snapshots s
    cross join lateral jsonb_array_elements(s.rows) as r (value)
    where s.connection_id = ${of.connection} and s.probe = ${of.probe} and s.collected_at is not null
  ) v
)`;

export interface NewestRun {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  at: number;
  row_count?: number | null;
}

/** When each database of these connections was collected last; those that were dropped are not there. */
export const newestRunsOf = (
  read: Pick<NewestRead, 'probe' | 'connection_ids'> & { database_name?: string | undefined },
): Sql =>
  prepared(sql`
  /* store.newest_runs */
  select s.connection_id, s.database_name, (extract(epoch from s.collected_at) * 1000)::double precision as at,
    s.row_count
  from metrics.current_snapshots s
  where s.connection_id = any (${read.connection_ids}::integer[])
    and s.probe = ${read.probe}
    and s.collected_at is not null
    ${inDatabase(read.database_name, sql`s.database_name`)}`);
