// The newest state of families of objects, rebuilt from their last keyframe and the increases since, and the objects
// that grew most over a window.

import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Column } from '../../probes/types.ts';
import { type Shape, storedName } from '../layout/shapes.ts';

const comma = sql`, `;
const iso = (ms: number) => new Date(ms).toISOString();

const name = (column: Column) => identifier(storedName(column.name));

const CASTS: Partial<Record<Column['type'], Sql>> = {
  integer: sql`::bigint`,
  bigint: sql`::bigint`,
  'double precision': sql`::double precision`,
};

/** In a row of increases a null array of a counter means that nothing grew. */
function read(column: Column): Sql {
  const plain = name(column);
  if (column.kind !== 'counter') return sql`u.${plain}`;
  return sql`case when t.${plain} is null and not t.keyframe then 0 else u.${plain} end as ${plain}`;
}

/** The newest of a gauge; of a counter its base and everything since. */
function fold(column: Column): Sql {
  const plain = name(column);
  if (column.kind !== 'counter')
    return sql`(array_agg(e.${plain} order by e.at desc, e.keyframe desc))[1] as ${plain}`;
  const cast = CASTS[column.type] ?? sql``;
  return sql`case
      when (array_agg(e.${plain} order by e.at desc, e.keyframe desc))[1] is not null
      then sum(e.${plain})${cast}
    end as ${plain}`;
}

export interface LatestRow {
  connection_id: number;
  database_name: string;
  collected_at: string;
  object_id: number;
  key: Readonly<Record<string, unknown>>;
  labels: Readonly<Record<string, unknown>>;
  values: Readonly<Record<string, unknown>>;
}

/** Every object that was there at the newest tick, with its values as the server said them. */
export function latestObjects(shape: Shape, of: { connection_ids: readonly number[]; since: number }): Sql {
  const table = identifier(shape.table.name);
  const arrays = [identifier('object_ids'), ...shape.values.map(name)];
  const names = [identifier('object_id'), ...shape.values.map(name)];
  const values = shape.values.map((column) => sql`f.${name(column)} as ${identifier(column.name)}`);
  return sql`
    /* store.latest_objects */
    with base as (
      select distinct on (t.connection_id, t.database_name) t.connection_id, t.database_name, t.collected_at as at
      from metrics.${table} t
      where t.connection_id = any (${of.connection_ids}::integer[])
        and t.collected_at > ${iso(of.since)}::timestamptz
        and t.whole
        -- A database that was dropped has no newest run any more.
        and exists (
          select
          from metrics.current_snapshots s
          where s.connection_id = t.connection_id
            and s.probe = ${shape.probe}
            and s.database_name = t.database_name
        )
      order by t.connection_id, t.database_name, t.collected_at desc
    ), tick as (
      select t.*, b.at as base_at
      from base b
      join metrics.${table} t
        on t.connection_id = b.connection_id
        and t.database_name = b.database_name
        and t.collected_at >= b.at
      where t.connection_id = any (${of.connection_ids}::integer[])
        and t.collected_at > ${iso(of.since)}::timestamptz
        and (t.collected_at > b.at or t.keyframe)
    ), newest as (
      select t.connection_id, t.database_name, max(t.collected_at) as at
      from tick t
      group by 1, 2
    ), gone as (
      select t.connection_id, g.object_id, max(t.collected_at) as at
      from tick t
      cross join lateral unnest(t.gone_ids) as g (object_id)
      group by 1, 2
    ), event as (
      select
        t.connection_id, t.database_name, t.collected_at as at, t.keyframe, u.object_id,
        count(*) filter (where t.keyframe) over (
          partition by t.connection_id, u.object_id
          order by t.collected_at desc, t.keyframe desc
        ) - (t.keyframe)::integer as keyframes_after,
        ${join(shape.values.map(read), comma)}
      from tick t
      cross join lateral rows from (unnest(${join(
        arrays.map((array) => sql`t.${array}`),
        comma,
      )})) as u (${join(names, comma)})
    ), folded as (
      select
        e.connection_id, e.database_name, e.object_id, max(e.at) as at,
        ${join(shape.values.map(fold), comma)}
      from event e
      where e.keyframes_after = 0
      group by 1, 2, 3
    )
    select
      f.connection_id, f.database_name, n.at as collected_at, f.object_id, o.key, o.labels,
      (select to_jsonb(v) from (select ${join(values, comma)}) v) as values
    from folded f
    join newest n on n.connection_id = f.connection_id and n.database_name = f.database_name
    left join gone g on g.connection_id = f.connection_id and g.object_id = f.object_id
    join metrics.objects o on o.connection_id = f.connection_id and o.object_id = f.object_id
    where g.at is null or g.at < f.at
    order by f.connection_id, f.database_name, f.object_id`;
}

export interface TopRow {
  connection_id: number;
  database_name: string;
  object_id: number;
  key: Readonly<Record<string, unknown>>;
  labels: Readonly<Record<string, unknown>>;
  increase: number;
  /** Seconds of the window in which that database was measured. */
  covered_seconds: number;
}

/** The objects whose counter grew most by ticks within the window; `rows` is the relation of ticks to read. */
export function topObjects(
  column: Column,
  of: { rows: Sql; connection_ids: readonly number[]; from: number; to: number; limit: number },
): Sql {
  const values = sql`t.${name(column)}`;
  return sql`
    /* store.top_objects */
    with tick as materialized (
      select
        t.connection_id, t.database_name, t.object_ids, ${values} as increases,
        extract(epoch from t.collected_at - greatest(t.since, ${iso(of.from)}::timestamptz)) as seconds
      from ${of.rows} t
      where t.connection_id = any (${of.connection_ids}::integer[])
        and t.collected_at > ${iso(of.from)}::timestamptz
        and t.collected_at <= ${iso(of.to)}::timestamptz
        and not t.keyframe
    ), covered as (
      select t.connection_id, t.database_name, sum(t.seconds)::double precision as covered_seconds
      from tick t
      group by 1, 2
    ), top as (
      select t.connection_id, t.database_name, u.object_id, sum(u.increase)::double precision as increase
      from tick t
      cross join lateral unnest(t.object_ids, t.increases) as u (object_id, increase)
      where t.increases is not null
      group by 1, 2, 3
      having sum(u.increase) > 0
      order by 4 desc, 1, 3
      limit ${of.limit}
    )
    select t.connection_id, t.database_name, t.object_id, o.key, o.labels, t.increase, c.covered_seconds
    from top t
    join covered c on c.connection_id = t.connection_id and c.database_name = t.database_name
    join metrics.objects o on o.connection_id = t.connection_id and o.object_id = t.object_id
    order by t.increase desc, t.connection_id, t.object_id`;
}
