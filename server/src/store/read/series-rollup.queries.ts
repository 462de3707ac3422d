// Reading rollups: one column of all entities together, or of some objects, span by span.
import { identifier, type Sql, sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { storedName } from '../layout/shapes.ts';
import { partName } from '../layout/tiers.ts';
import type { Value } from '../layout/types.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

/** Elements as they stand in the arrays of one span; null is left out. */
export interface RollupCell {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch at which the span begins. */
  at: number;
  runs: number;
  covered_seconds: number;
  /** Place of the object in the arrays; null: it is not there. */
  place: number | null;
  /** Elements of the column's first array; null: nobody knows the column. */
  length: number | null;
  value: number | null;
  sec: number | null;
  /** Of all entities together. */
  all_sec: number | null;
  min: number | null;
  max: number | null;
  last: number | null;
  sum: number | null;
}

export interface RollupRead {
  table: string;
  column: Column;
  connection_ids: readonly number[];
  database_name: string | undefined;
  from: number;
  to: number;
  /** [connection, object] pairs; undefined: all entities together. */
  objects: readonly (readonly [number, number])[] | undefined;
}

export function rollupCells(read: RollupRead): Sql {
  const { table, column, connection_ids, database_name, from, to, objects } = read;
  const main = identifier(storedName(column.name));
  const part = (name: string) => identifier(partName(column, name));
  const gauge = (name: string) =>
    column.kind === 'counter' ? sql`null::double precision` : sql`r.${part(name)}[p.place]`;
  const only = database_name === undefined ? sql`` : sql`and r.database_name = ${database_name}`;
  const places = objects
    ? sql`
      cross join lateral (
        select array_position(r.object_ids, o.object_id) as place
        from unnest(
          ${objects.map(([id]) => id)}::integer[], ${objects.map(([, id]) => id)}::integer[]
        ) as o (connection_id, object_id)
        where o.connection_id = r.connection_id
      ) p`
    : sql`cross join (select 1 as place) p`;
  return sql`
    /* store.rollup_cells */
    select
      r.connection_id, r.database_name,
      (extract(epoch from r.collected_at) * 1000)::bigint as at,
      r.runs, r.covered_seconds, p.place,
      cardinality(r.${main}) as length,
      r.${main}[p.place] as value,
      r.${part('sec')}[p.place] as sec,
      r.${part('sec')}[1] as all_sec,
      ${gauge('min')} as min, ${gauge('max')} as max, ${gauge('last')} as last, ${gauge('sum')} as sum
    from metrics.${identifier(table)} r
    ${places}
    where r.connection_id = any (${connection_ids}::integer[])
      and r.collected_at >= ${timeOf(from)}
      and r.collected_at < ${timeOf(to)}
      ${only}
    order by r.connection_id, r.database_name, r.collected_at`;
}

export interface NamedObject {
  connection_id: number;
  database_name: string;
  object_id: number;
}

/** Objects of a probe with exactly these keys or labels. */
export function namedObjects(of: {
  kind: string;
  connection_ids: readonly number[];
  where: Readonly<Record<string, Value>>;
}): Sql {
  const conditions = Object.entries(of.where).map(([name, value]) =>
    value === null
      ? sql`and coalesce(o.key ->> ${name}, o.labels ->> ${name}) is null`
      : sql`and coalesce(o.key ->> ${name}, o.labels ->> ${name}) = ${String(value)}`,
  );
  return sql`
    /* store.named_objects */
    select o.connection_id, o.database_name, o.object_id
    from metrics.objects o
    where o.connection_id = any (${of.connection_ids}::integer[])
      and o.kind = ${of.kind}
      ${conditions.reduce((all, one) => sql`${all} ${one}`, sql``)}`;
}
