// What is kept of logs, for rules that judge it. Guards: each statement is bounded by a window; whether the window was read as a whole goes
// with the counts.
import { join, type Sql, sql } from '../../kernel/sql.ts';

const timeOf = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::double precision)`;

export interface KnownLog {
  connection_id: number;
  /** When it was looked at last; milliseconds since the epoch. */
  at: number;
  since: number | null;
  /** All of the window was read. */
  is_whole: boolean;
}

/** Logs of these connections that can be read, and how much of the window since `from` was. */
export const knownLogs = (connection_ids: readonly number[], from: number): Sql => sql`
  /* store.known_logs */
  select
    s.connection_id,
    (extract(epoch from s.looked_at) * 1000)::double precision as at,
    (extract(epoch from s.reading_since) * 1000)::double precision as since,
    s.read_until is null and s.reading_since <= ${timeOf(from)} and not exists (
      select 1 from matriarch.log_gaps g where g.connection_id = s.connection_id and g.noticed_at >= ${timeOf(from)}
    ) as is_whole
  from matriarch.log_sources s
  where s.connection_id = any (${connection_ids}::integer[]) and s.format is not null`;

export interface ClassCount {
  connection_id: number;
  class: string;
  events: number;
  /** Within one minute. */
  most: number;
  errors: number;
  panics: number;
}

const panics = sql`sum(case when c.severity = 'PANIC' then c.events else 0 end)`;
const errors = sql`sum(case when c.severity in ('ERROR', 'FATAL', 'PANIC') then c.events else 0 end)`;

/** Counts by class since `from`. */
export const classCounts = (connection_ids: readonly number[], from: number): Sql => sql`
  /* store.log_classes */
  select
    m.connection_id, m.class, sum(m.events)::float8 as events, max(m.events)::float8 as most,
    sum(m.errors)::float8 as errors, sum(m.panics)::float8 as panics
  from (
    select c.connection_id, c.class, c.minute, sum(c.events) as events, ${errors} as errors, ${panics} as panics
    from matriarch.log_counts c
    where c.connection_id = any (${connection_ids}::integer[]) and c.minute >= ${timeOf(from)}
    group by c.connection_id, c.class, c.minute
  ) m
  group by m.connection_id, m.class`;

export interface ClassOf {
  connection_id: number;
  class: string;
}

/** Errors of these classes between two times. */
export const errorsBetween = (
  those: readonly ClassOf[],
  { from, to }: { from: number; to: number },
): Sql => sql`
  /* store.log_errors_before */
  select c.connection_id, c.class, ${errors}::float8 as errors
  from matriarch.log_counts c
  where c.minute >= ${timeOf(from)} and c.minute < ${timeOf(to)}
    and (c.connection_id, c.class) in (${join(
      those.map((one) => sql`(${one.connection_id}::integer, ${one.class}::text)`),
      sql`, `,
    )})
  group by c.connection_id, c.class`;

export interface FigureRead {
  connection_ids: readonly number[];
  classes: readonly string[];
  figure: string;
  from: number;
}

/** The greatest figure of kept events since `from`. */
export const greatestFigure = ({ connection_ids, classes, figure, from }: FigureRead): Sql => sql`
  /* store.log_figure */
  select e.connection_id, max((e.figures ->> ${figure}::text)::float8) as value
  from matriarch.log_events e
  where e.connection_id = any (${connection_ids}::integer[]) and e.class = any (${classes}::text[])
    and e.occurred_at >= ${timeOf(from)}
  group by e.connection_id`;
