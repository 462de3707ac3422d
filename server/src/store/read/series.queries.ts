// Reading samples and objects over a window. A value stands for the time since the sample before it, an increase is
// spread evenly over its time, both for at most as long as the gap rule says; what lies beyond is a hole. Every statement
// names its connections.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import { gapSeconds } from '../layout/gap-rule.ts';
import type { Value } from '../layout/types.ts';

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
  /** Only what is measured after this counts; rollups tell the rest. */
  clip?: number;
}

export interface Source {
  /** The relation to read, with the columns of the table of samples or ticks that are named here. */
  rows: Sql;
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

export const timeOf = (ms: number) => sql`${iso(ms)}::timestamptz`;
export const holeOf = ({ interval_seconds }: Window) =>
  sql`make_interval(secs => ${gapSeconds(interval_seconds)})`;
const COMBINED: Record<Combine, Sql> = { sum: sql`sum`, avg: sql`avg`, max: sql`max`, min: sql`min` };

/** Rows of a table of samples, from a hole's length before the window to one after it. */
export function scope(source: Source, window: Window): Sql {
  const conditions = [
    sql`t.connection_id = any (${window.connection_ids}::integer[])`,
    sql`t.collected_at > ${timeOf(window.clip ?? window.from)} - ${holeOf(window)}`,
    sql`t.collected_at <= ${timeOf(window.to)} + ${holeOf(window)}`,
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
      from ${source.rows} t
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
      from ${source.rows} t
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

/** Seconds since the window's begin. */
const secondsOf = (moment: Sql, window: Window) =>
  sql`extract(epoch from ${moment} - ${timeOf(window.from)})::double precision`;

/** Spans cut into buckets of the window: {…span, n, overlap} with overlap in seconds. */
function cut(window: Window): Sql {
  const width = (window.to - window.from) / 1000 / window.buckets;
  const width8 = sql`${width}::double precision`;
  const clip = sql`${((window.clip ?? window.from) - window.from) / 1000}::double precision`;
  return sql`
    cell as (
      select
        s.connection_id, s.database_name, s.entity, s.value, s.since, s.at, n,
        least(${secondsOf(sql`s.at`, window)}, (n + 1) * ${width8})
          - greatest(${secondsOf(sql`s.since`, window)}, n * ${width8}, ${clip}) as overlap,
        ceil(${secondsOf(sql`s.at`, window)} / ${width8}) - 1 = n as is_taken
      from span s
      cross join lateral generate_series(
        greatest(0, floor(greatest(${secondsOf(sql`s.since`, window)}, ${clip}) / ${width8})::integer),
        least(${window.buckets - 1}, ceil(${secondsOf(sql`s.at`, window)} / ${width8})::integer - 1)
      ) as n
    )`;
}

const GAUGE: Record<Exclude<Aggregate, 'rate'>, Sql> = {
  avg: sql`sum(c.value * c.overlap)`,
  min: sql`min(c.value)`,
  max: sql`max(c.value)`,
  sum: sql`sum(c.value) filter (where c.is_taken)`,
  last: sql`(array_agg(c.value order by c.at desc))[1]`,
};

/** What one database says of a bucket. */
export interface BucketRow {
  connection_id: number;
  database_name: string;
  n: number;
  /** Of a mean, value × seconds; of a rate, the increase. */
  value: number | null;
  /** Seconds of the bucket that values stand for. */
  covered_seconds: number;
}

/** Gauges by bucket; `samples` defines `sample`. */
export function gaugeBuckets(
  { samples, window }: { samples: Sql; window: Window },
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
    ), ${cut(window)}
    select
      c.connection_id, c.database_name, c.n,
      ${GAUGE[aggregate]} as value,
      coalesce(sum(c.overlap) filter (where c.value is not null), 0) as covered_seconds
    from cell c
    where c.overlap > 0
    group by 1, 2, 3
    order by 1, 2, 3`;
}

/** Increases by bucket; `increases` defines `increase`. */
export function counterBuckets({ increases, window }: { increases: Sql; window: Window }): Sql {
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
    )
    select
      e.connection_id, e.database_name, e.n, sum(e.value) as value, max(e.covered) as covered_seconds
    from by_entity e
    group by 1, 2, 3
    order by 1, 2, 3`;
}
