// Ticks of families of objects since the newest whole keyframe of each database, of which what stands now is folded. Guards: of what nobody
// wants nothing is read: columns, databases, single objects.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { storedName, type TableLayout, table } from '../layout/table-layout.ts';
import { ofDatabases, tickTexts, within } from './stored.queries.ts';
import type { DatabaseOf, Range } from './stored-read.ts';

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
    from unnest(${join(arrays)}) as u (${join(cells)})
    where ${join(conditions, sql` or `)}
  )`;
}

/** Some objects, and the databases in which they are. */
export interface ObjectsOf {
  ids: readonly number[];
  databases: readonly DatabaseOf[];
}

export interface TicksRead {
  columns: readonly Column[];
  ranges: readonly Range[];
  bounds?: Bounds | undefined;
  /** Of all that a tick says only what it says of these; undefined: all. */
  only?: ObjectsOf | undefined;
}

/** Where in the arrays of a tick these objects are, as `w`. */
const placesOf = (only: ObjectsOf | undefined) =>
  only
    ? sql`
    cross join lateral (
      select coalesce(array_agg(u.place::integer), '{}') as places
      from unnest(t.object_ids) with ordinality as u (id, place)
      where u.id = any (${only.ids}::integer[])
    ) w`
    : sql``;

/**
 * What one of these arrays says of these objects; one that is not there says something else than one without values. It is put together with
 * nothing so that it is read from the disk once, and not by each look into it.
 */
const ofThese = (name: string) => sql`(case when t.${identifier(name)} is not null then (
      select coalesce(array_agg(a.whole[p.place]), '{}')
      from (select t.${identifier(name)} || '{}' as whole offset 0) a
      cross join unnest(w.places) as p (place)
    ) end)::text`;

/** Ticks from the newest whole keyframe on, by these columns alone, as text. */
export function ticksSinceKeyframe(layout: TableLayout, { columns, ranges, bounds, only }: TicksRead): Sql {
  const name = table(layout.table.name);
  const texts = tickTexts(columns, only && ofThese).map((text, n) => sql`${text} as ${identifier(`t${n}`)}`);
  const since = (alias: Sql) => sql`
      ${alias}.connection_id = b.connection_id
      and ${alias}.database_name = b.database_name
      and ${alias}.collected_at >= b.at
      and (${alias}.collected_at > b.at or ${alias}.keyframe)`;
  const base = sql`(
    select k.connection_id, k.database_name, max(k.collected_at) as at
    from ${name} k
    where k.whole and ${within(ranges, { alias: sql`k` })}
    group by k.connection_id, k.database_name
  )`;
  const first = bounds
    ? sql`(
    select distinct b.connection_id, b.database_name, b.at
    from ${name} h
    join ${base} b on ${since(sql`h`)}
    where ${within(ranges, { alias: sql`h` })}
      and (h.connection_id = any (${bounds.allOf}::integer[]) or ${hasAny(bounds)})
  )`
    : base;
  return sql`
    /* store.newest_ticks */
    select
      t.connection_id, t.database_name, ${join(texts)}
    from ${name} t
    join ${first} b on ${since(sql`t`)}
    ${placesOf(only)}
    where ${within(ranges)} ${ofDatabases(only?.databases)}`;
}
