// The newest rows of a probe for many connections: of samples and snapshots as they are kept whole, of change-tracked
// probes the facts in force, of families of objects the ticks since the newest whole keyframe.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Condition } from '../../probes/metric-types.ts';
import type { Column } from '../../probes/types.ts';
import { storedName, type TableLayout } from '../layout/table-layout.ts';
import { columnType } from './relations.ts';
import type { Range } from './stored.queries.ts';

const comma = sql`, `;
const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

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

const typed = (columns: readonly Column[]) =>
  join(
    columns.map((column) => sql`${identifier(column.name)} ${columnType(column)}`),
    comma,
  );

const own = (columns: readonly Column[]) =>
  join(
    columns.map((column) => sql`v.${identifier(column.name)}`),
    comma,
  );

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
}

/** When each database of these connections was collected last; those that were dropped are not there. */
export const newestRunsOf = (read: NewestRead): Sql => sql`
  /* store.newest_runs */
  select s.connection_id, s.database_name, (extract(epoch from s.collected_at) * 1000)::double precision as at
  from metrics.current_snapshots s
  where s.connection_id = any (${read.connection_ids}::integer[])
    and s.probe = ${read.probe}
    and s.collected_at is not null
    ${inDatabase(read.database_name, sql`s.database_name`)}`;

/** Stands in place of a probe for what runs out, which is found from samples. */
export const RUNWAY_RUNS = 'runway';

/** {connection_id, probe, at}: probes that were collected since `from`, and what runs out; times are milliseconds since the epoch. */
export const recentRunsOf = ({ probes, from }: { probes: readonly string[]; from: number }): Sql => sql`
  /* store.recent_runs */
  select
    s.connection_id, s.probe,
    (extract(epoch from max(s.collected_at)) * 1000)::double precision as at
  from metrics.current_snapshots s
  where s.probe = any (${probes}::text[])
    and s.collected_at > ${timeOf(from)}
  group by s.connection_id, s.probe
  union all
  select r.connection_id, ${RUNWAY_RUNS}, (extract(epoch from r.made_at) * 1000)::double precision
  from matriarch.runway r
  where r.made_at > ${timeOf(from)}`;

/** When each probe and database was collected last, where it can be; `at` in milliseconds since the epoch. */
export const newestTimes = (connectionIds: readonly number[]): Sql => sql`
  /* store.newest_times */
  select
    s.connection_id, s.probe, s.database_name,
    (extract(epoch from s.collected_at) * 1000)::double precision as at
  from metrics.current_snapshots s
  where s.connection_id = any (${connectionIds}::integer[])
    and s.outcome <> 'skipped'
  order by s.connection_id, s.probe, s.database_name`;

export type TickTexts = {
  connection_id: number;
  database_name: string;
  /** Microseconds since the epoch. */
  at: number;
  keyframe: boolean;
  whole: boolean;
  ids: string;
  gone: string | null;
} & { [text: `t${number}`]: string | null };

export type Compared = '>' | '>=' | '<' | '<=' | '==' | '!=';

/** What an object has to be for anybody to look at its database; met by every object that is wanted, and maybe by others. */
export type Bound =
  | {
      /** Columns that are levels; null where one of them is. */
      of: readonly string[];
      scale: number;
      /** What they are divided by; undefined: by nothing. */
      by?: readonly string[] | number;
      operator: Compared;
      limit: number;
      /** Where they are divided by 0, it is met as well. */
      isMetByNone?: boolean;
    }
  | { level: string; above: string };

/** Databases with an object that meets any of the bounds, and all databases of these connections. */
export interface Bounds {
  allOf: readonly number[];
  any: readonly Bound[];
}

const OPERATORS: Record<Compared, Sql> = {
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '==': sql`=`,
  '!=': sql`<>`,
};

export const columnsOfBound = (bound: Bound): string[] =>
  'level' in bound
    ? [bound.level, bound.above]
    : [...bound.of, ...(typeof bound.by === 'object' ? bound.by : [])];

function conditionOfBound(bound: Bound, cell: (name: string) => Sql): Sql {
  if ('level' in bound) return sql`${cell(bound.level)} > ${cell(bound.above)}`;
  const sum = (names: readonly string[]) => sql`(${join(names.map(cell), sql` + `)})`;
  const { of, scale, by, operator, limit, isMetByNone = false } = bound;
  const value = sql`${scale}::double precision * ${sum(of)}`;
  const is = sql`${OPERATORS[operator]} ${limit}::double precision`;
  if (by === undefined) return sql`${value} ${is}`;
  // The same arithmetic as where it is judged, so that the same values meet it.
  if (typeof by === 'number') return sql`${value} / ${by}::double precision ${is}`;
  return sql`case when ${sum(by)} > 0 then ${value} / ${sum(by)} ${is} else ${isMetByNone}::boolean end`;
}

function hasAny({ any }: Bounds): Sql {
  const names = [...new Set(any.flatMap(columnsOfBound))];
  const cell = (name: string) => sql`u.${identifier(`v${names.indexOf(name)}`)}::double precision`;
  const arrays = names.map((name) => sql`h.${identifier(storedName(name))}`);
  const cells = names.map((_name, n) => identifier(`v${n}`));
  const conditions = any.map((bound) => sql`(${conditionOfBound(bound, cell)})`);
  return sql`exists (
    select 1
    from unnest(${join(arrays, comma)}) as u (${join(cells, comma)})
    where ${join(conditions, sql` or `)}
  )`;
}

export interface TicksRead {
  columns: readonly Column[];
  ranges: readonly Range[];
  bounds?: Bounds | undefined;
}

/** Ticks from the newest whole keyframe on, by these columns alone, as text. */
export function ticksSinceKeyframe(layout: TableLayout, { columns, ranges, bounds }: TicksRead): Sql {
  const table = sql`metrics.${identifier(layout.table.name)}`;
  const within = (alias: Sql) =>
    join(
      ranges.map(
        ({ connection_ids, from, to }) => sql`(
          ${alias}.connection_id = any (${connection_ids}::integer[])
          and ${alias}.collected_at >= ${timeOf(from)}
          and ${alias}.collected_at < ${timeOf(to)}
        )`,
      ),
      sql` or `,
    );
  const texts = columns.map(
    (column, index) => sql`, t.${identifier(storedName(column.name))}::text as ${identifier(`t${index}`)}`,
  );
  const since = (alias: Sql) => sql`
      ${alias}.connection_id = b.connection_id
      and ${alias}.database_name = b.database_name
      and ${alias}.collected_at >= b.at
      and (${alias}.collected_at > b.at or ${alias}.keyframe)`;
  const base = sql`(
    select k.connection_id, k.database_name, max(k.collected_at) as at
    from ${table} k
    where k.whole and (${within(sql`k`)})
    group by k.connection_id, k.database_name
  )`;
  const first = bounds
    ? sql`(
    select distinct b.connection_id, b.database_name, b.at
    from ${table} h
    join ${base} b on ${since(sql`h`)}
    where (${within(sql`h`)})
      and (h.connection_id = any (${bounds.allOf}::integer[]) or ${hasAny(bounds)})
  )`
    : base;
  return sql`
    /* store.newest_ticks */
    select
      t.connection_id, t.database_name, (extract(epoch from t.collected_at) * 1000000)::bigint as at,
      t.keyframe, t.whole, t.object_ids::text as ids, t.gone_ids::text as gone
      ${join(texts, sql` `)}
    from ${table} t
    join ${first} b on ${since(sql`t`)}
    where (${within(sql`t`)})`;
}
