// Series over families of objects: increases as they were stored, and gauges followed from the keyframe on. They define
// `increase` and `sample` for the statements of series.queries.ts.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import { holeOf, type Source, scope, timeOf, type Window } from './series.queries.ts';

const and = sql` and `;

/** The objects that a reader named: their ids by connection. */
function named(source: Source, window: Window): Sql {
  const conditions = Object.entries(source.where ?? {}).map(
    ([name, value]) => sql`coalesce(o.key ->> ${name}, o.labels ->> ${name}) = ${String(value)}`,
  );
  return sql`
    object as materialized (
      select o.connection_id, o.object_id
      from metrics.objects o
      where ${join(
        [
          sql`o.connection_id = any (${window.connection_ids}::integer[])`,
          sql`o.kind = ${source.kind}`,
          ...conditions,
        ],
        and,
      )}
    )`;
}

const isNarrow = ({ where = {} }: Source) => Object.keys(where).length > 0;

/** Increases that were stored as such, of all objects of a database together. */
export function storedIncreases(source: Source, window: Window): Sql {
  const column = sql`t.${identifier(source.column)}`;
  const only = isNarrow(source)
    ? sql`where exists (
          select from object o where o.connection_id = t.connection_id and o.object_id = u.object_id
        )`
    : sql``;
  return sql`
    ${named(source, window)}, increase as (
      select
        t.connection_id, t.database_name, ''::text as entity, t.since, t.collected_at as at,
        case
          when ${column} is null then 0
          when cardinality(${column}) = 0 then null
          else (
            select coalesce(sum(u.value), 0)
            from unnest(t.object_ids, ${column}) as u (object_id, value)
            ${only}
          )
        end::double precision as value
      from ${source.rows} t
      where ${scope(source, window)} and not t.keyframe
    )`;
}

/**
 * Gauges of objects at each tick: from the keyframe on, every change moves the sum and the number of known values, so
 * that each tick has both without looking at unchanged objects.
 */
export function objectGauges(source: Source, window: Window): Sql {
  const back = sql`${timeOf(window.clip ?? window.from)} - ${holeOf(window)} - interval '1 hour' - ${holeOf(window)}`;
  const only = isNarrow(source)
    ? sql`where exists (
        select from object o where o.connection_id = e.connection_id and o.object_id = e.object_id
      )`
    : sql``;
  const value = source.combine === 'avg' ? sql`m.total / nullif(m.known, 0)` : sql`m.total`;
  return sql`
    ${named(source, window)}, tick as (
      select
        t.connection_id, t.database_name, t.collected_at as at, t.keyframe, t.object_ids, t.gone_ids,
        t.${identifier(source.column)} as column_values,
        count(*) filter (where t.whole) over (
          partition by t.connection_id, t.database_name
          order by t.collected_at, t.keyframe
        ) as segment
      from ${source.rows} t
      where t.connection_id = any (${window.connection_ids}::integer[])
        and t.collected_at > ${back}
        and t.collected_at <= ${timeOf(window.to)} + ${holeOf(window)}
        ${source.database_name === undefined ? sql`` : sql`and t.database_name = ${source.database_name}`}
    ), event as (
      select t.connection_id, t.database_name, t.segment, t.at, t.keyframe, u.object_id, u.value::double precision as value
      from tick t
      cross join lateral unnest(t.object_ids, t.column_values) as u (object_id, value)
      where t.segment > 0
      union all
      select t.connection_id, t.database_name, t.segment, t.at, t.keyframe, g.object_id, null
      from tick t
      cross join lateral unnest(t.gone_ids) as g (object_id)
      where t.segment > 0
    ), move as (
      select
        e.connection_id, e.database_name, e.segment, e.at, e.keyframe,
        coalesce(e.value, 0) - coalesce(lag(e.value) over w, 0) as total,
        (e.value is not null)::integer - (lag(e.value) over w is not null)::integer as known
      from event e
      ${only}
      window w as (
        partition by e.connection_id, e.database_name, e.segment, e.object_id order by e.at, e.keyframe
      )
    ), moved as (
      -- No join: its estimates would be far off.
      select
        x.connection_id, x.database_name, x.segment, x.at,
        sum(x.total) as total, sum(x.known) as known
      from (
        select t.connection_id, t.database_name, t.segment, t.at, 0::double precision as total, 0 as known
        from tick t
        where t.segment > 0
        union all
        select m.connection_id, m.database_name, m.segment, m.at, m.total, m.known
        from move m
      ) x
      group by 1, 2, 3, 4
    ), running as (
      select
        d.connection_id, d.database_name, d.segment, d.at,
        sum(d.total) over w as total,
        sum(d.known) over w as known
      from moved d
      window w as (partition by d.connection_id, d.database_name, d.segment order by d.at)
    ), sample as (
      select distinct on (m.connection_id, m.database_name, m.at)
        m.connection_id, m.database_name, m.at,
        case when m.known > 0 then ${value} end as value
      from running m
      order by m.connection_id, m.database_name, m.at, m.segment desc
    )`;
}
