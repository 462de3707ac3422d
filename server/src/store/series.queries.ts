// Reading samples and objects over a window. A value stands for the time since the sample before it, an increase is
// spread evenly over its time, both for at most 2.5 intervals; what lies beyond is a hole. Every statement names its
// connections.
import { identifier, join, type Sql, sql } from '../kernel/sql.ts';
import type { Value } from './types.ts';

export type Aggregate = 'avg' | 'min' | 'max' | 'sum' | 'last' | 'rate';
/** How several entities of one sample become one value. */
export type Combine = 'sum' | 'avg' | 'max' | 'min';

export interface Window {
  connection_ids: readonly number[];
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  buckets: number;
  interval_seconds: number;
}

export interface Source {
  table: string;
  kind: string;
  /** As stored. */
  column: string;
  byDatabase: boolean;
  keys: readonly string[];
  /** Columns by whose change a reset shows. */
  resets: readonly string[];
  combine: Combine;
  database_name?: string;
  /** Exact values of keys and labels. */
  where?: Readonly<Record<string, Value>>;
}

const iso = (ms: number) => new Date(ms).toISOString();
const comma = sql`, `;
const and = sql` and `;
const HOLE = 2.5;

const timeOf = (ms: number) => sql`${iso(ms)}::timestamptz`;
const holeOf = ({ interval_seconds }: Window) => sql`make_interval(secs => ${HOLE * interval_seconds})`;
const COMBINED: Record<Combine, Sql> = { sum: sql`sum`, avg: sql`avg`, max: sql`max`, min: sql`min` };

/** Rows of a table of samples, from a hole's length before the window on. */
function scope(source: Source, window: Window): Sql {
  const conditions = [
    sql`t.connection_id = any (${window.connection_ids}::integer[])`,
    sql`t.collected_at > ${timeOf(window.from)} - ${holeOf(window)}`,
    sql`t.collected_at <= ${timeOf(window.to)}`,
    ...(source.database_name === undefined ? [] : [sql`t.database_name = ${source.database_name}`]),
  ];
  return join(conditions, and);
}

const database = ({ byDatabase }: Source) => (byDatabase ? sql`t.database_name` : sql`''::text`);

function filters(where: Readonly<Record<string, Value>> = {}): Sql[] {
  return Object.entries(where).map(([name, value]) =>
    value === null ? sql`t.${identifier(name)} is null` : sql`t.${identifier(name)}::text = ${String(value)}`,
  );
}

/** Gauge samples: {connection_id, database_name, at, value}, entities combined. */
export function gaugeSamples(source: Source, window: Window): Sql {
  const value = sql`t.${identifier(source.column)}`;
  return sql`
    sample as (
      select
        t.connection_id,
        ${database(source)} as database_name,
        t.collected_at as at,
        ${COMBINED[source.combine]}(${value})::double precision as value
      from metrics.${identifier(source.table)} t
      where ${join([scope(source, window), ...filters(source.where)], and)}
      group by 1, 2, 3
    )`;
}

/** Increases of a raw counter: {connection_id, database_name, entity, since, at, value}. */
export function rawIncreases(source: Source, window: Window): Sql {
  const value = sql`t.${identifier(source.column)}`;
  const reset = join(
    [
      sql`r.value < r.value_before`,
      ...source.resets.map((_name, index) => {
        const column = identifier(`reset_${index}`);
        return sql`(r.${column} is not null and r.${column} is distinct from r.${identifier(`reset_${index}_before`)})`;
      }),
    ],
    sql` or `,
  );
  const resets = source.resets.map((name, index) => {
    const [plain, before] = [identifier(`reset_${index}`), identifier(`reset_${index}_before`)];
    return sql`, t.${identifier(name)} as ${plain}, lag(t.${identifier(name)}) over w as ${before}`;
  });
  const entity =
    source.keys.length === 0
      ? sql`''::text`
      : sql`jsonb_build_array(${join(
          source.keys.map((name) => sql`t.${identifier(name)}`),
          comma,
        )})::text`;
  return sql`
    reading as (
      select
        t.connection_id,
        ${database(source)} as database_name,
        ${entity} as entity,
        t.collected_at as at,
        lag(t.collected_at) over w as since,
        ${value} as value,
        lag(${value}) over w as value_before,
        (t.incarnation <> lag(t.incarnation) over w) is true as is_other
        ${join(resets, sql``)}
      from metrics.${identifier(source.table)} t
      where ${join([scope(source, window), ...filters(source.where)], and)}
      window w as (partition by t.connection_id, ${database(source)}, ${entity} order by t.collected_at)
    ), increase as (
      select
        r.connection_id, r.database_name, r.entity, r.since, r.at,
        (case when ${reset} then r.value else r.value - r.value_before end)::double precision as value
      from reading r
      where r.since is not null and not r.is_other and r.value is not null and r.value_before is not null
    )`;
}

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
      from metrics.${identifier(source.table)} t
      where ${scope(source, window)} and not t.keyframe
    )`;
}

/**
 * Gauges of objects at each tick: from the keyframe on, every change moves the sum and the number of known values, so
 * that each tick has both without looking at unchanged objects.
 */
export function objectGauges(source: Source, window: Window): Sql {
  const back = sql`${timeOf(window.from)} - ${holeOf(window)} - interval '1 hour' - ${holeOf(window)}`;
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
      from metrics.${identifier(source.table)} t
      where t.connection_id = any (${window.connection_ids}::integer[])
        and t.collected_at > ${back}
        and t.collected_at <= ${timeOf(window.to)}
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
      select
        t.connection_id, t.database_name, t.segment, t.at,
        coalesce(sum(m.total), 0) as total, coalesce(sum(m.known), 0) as known
      from tick t
      left join move m
        on m.connection_id = t.connection_id
        and m.database_name = t.database_name
        and m.segment = t.segment
        and m.at = t.at
        and m.keyframe = t.keyframe
      where t.segment > 0
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

/** Seconds since the window's begin. */
const secondsOf = (moment: Sql, window: Window) =>
  sql`extract(epoch from ${moment} - ${timeOf(window.from)})::double precision`;

/** Spans cut into buckets of the window: {…span, n, overlap} with overlap in seconds. */
function cut(window: Window): Sql {
  const width = (window.to - window.from) / 1000 / window.buckets;
  const width8 = sql`${width}::double precision`;
  return sql`
    cell as (
      select
        s.connection_id, s.database_name, s.entity, s.value, s.since, s.at, n,
        least(${secondsOf(sql`s.at`, window)}, (n + 1) * ${width8})
          - greatest(${secondsOf(sql`s.since`, window)}, n * ${width8}) as overlap,
        ceil(${secondsOf(sql`s.at`, window)} / ${width8}) - 1 = n as is_taken
      from span s
      cross join lateral generate_series(
        greatest(0, floor(${secondsOf(sql`s.since`, window)} / ${width8})::integer),
        least(${window.buckets - 1}, ceil(${secondsOf(sql`s.at`, window)} / ${width8})::integer - 1)
      ) as n
    )`;
}

const GAUGE: Record<Exclude<Aggregate, 'rate'>, Sql> = {
  avg: sql`sum(c.value * c.overlap) / nullif(sum(c.overlap), 0)`,
  min: sql`min(c.value)`,
  max: sql`max(c.value)`,
  sum: sql`sum(c.value) filter (where c.is_taken)`,
  last: sql`(array_agg(c.value order by c.at desc))[1]`,
};

export interface BucketRow {
  connection_id: number;
  n: number;
  value: number | null;
  /** Seconds of the bucket that values stand for. */
  covered_seconds: number;
}

/** Gauges by bucket; `samples` defines `sample`. */
export function gaugeBuckets(
  { samples, source, window }: { samples: Sql; source: Source; window: Window },
  aggregate: Exclude<Aggregate, 'rate'>,
): Sql {
  return sql`
    /* store.gauge_series */
    with ${samples}, span as (
      select
        s.connection_id, s.database_name, ''::text as entity, s.value, s.at,
        greatest(
          coalesce(lag(s.at) over w, s.at - make_interval(secs => ${window.interval_seconds})),
          s.at - ${holeOf(window)}
        ) as since
      from sample s
      window w as (partition by s.connection_id, s.database_name order by s.at)
    ), ${cut(window)}, by_database as (
      select
        c.connection_id, c.database_name, c.n,
        ${GAUGE[aggregate]} as value,
        sum(c.overlap) filter (where c.value is not null) as covered
      from cell c
      where c.overlap > 0
      group by 1, 2, 3
    )
    select
      d.connection_id, d.n,
      ${COMBINED[source.combine]}(d.value) as value,
      coalesce(max(d.covered), 0) as covered_seconds
    from by_database d
    group by 1, 2
    order by 1, 2`;
}

/** Increases by bucket, as a sum or a rate by covered second; `increases` defines `increase`. */
export function counterBuckets(
  { increases, window }: { increases: Sql; window: Window },
  aggregate: 'sum' | 'rate',
): Sql {
  const value = aggregate === 'rate' ? sql`e.value / nullif(e.covered, 0)` : sql`e.value`;
  return sql`
    /* store.counter_series */
    with ${increases}, span as (
      select i.connection_id, i.database_name, i.entity, i.value, i.since, i.at
      from increase i
      where i.value is not null and i.at > i.since and i.at - i.since <= ${holeOf(window)}
    ), ${cut(window)}, by_entity as (
      select
        c.connection_id, c.database_name, c.entity, c.n,
        sum(c.value * c.overlap / extract(epoch from c.at - c.since)::double precision) as value,
        sum(c.overlap) as covered
      from cell c
      where c.overlap > 0
      group by 1, 2, 3, 4
    ), by_database as (
      select e.connection_id, e.database_name, e.n, sum(e.value) as value, max(e.covered) as covered
      from by_entity e
      group by 1, 2, 3
    )
    select
      e.connection_id, e.n, sum(${value}) as value, max(e.covered) as covered_seconds
    from by_database e
    group by 1, 2
    order by 1, 2`;
}
