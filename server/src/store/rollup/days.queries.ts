// The statements of packed rollups: days that are over and still lie in rows, and their rows.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import type { Element } from '../format/days.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import type { Engine } from '../layout/engine/types.ts';
import { type TableLayout, table } from '../layout/table-layout.ts';
import { arraysOf, numbersOf } from '../layout/tiers.ts';

export interface OpenDay {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  day: number;
}

/** Days before `before` that have rollups in rows. */
export const openDays = (engine: Engine, name: string, before: number): Sql => sql`
  /* store.open_days */
  select distinct
    r.connection_id, r.database_name,
    (extract(epoch from ${engine.bucket('day', sql`r.collected_at`)}) * 1000)::bigint as day
  from ${table(name)} r
  where r.collected_at < ${timeOf(before)}
  order by 1, 2, 3`;

/**
 * Databases of which so much lies in rows of a day that is not over: `least_bytes` of the ids of their entities. As they are stored,
 * which nothing has to be unpacked for.
 */
export const largeDays = (
  name: string,
  { day, least_bytes }: { day: number; least_bytes: number },
): Sql => sql`
  /* store.large_days */
  select r.connection_id, r.database_name, ${day}::bigint as day
  from ${table(name)} r
  where r.collected_at >= ${timeOf(day)}
  group by 1, 2
  having sum(pg_column_size(r.object_ids)) >= ${least_bytes}::bigint
  order by 1, 2`;

export interface StoredSpan {
  at: number;
  runs: number;
  covered_seconds: number;
  object_ids: number[];
  [array: string]: Element[] | number | null;
}

const within = ({ connection_id, database_name, from, to }: Slice) => sql`
  r.connection_id = ${connection_id}
  and r.database_name = ${database_name}
  and r.collected_at >= ${timeOf(from)}
  and r.collected_at < ${timeOf(to)}`;

export function rollupSpans(layout: TableLayout, name: string, slice: Slice): Sql {
  const arrays = numbersOf(layout).flatMap(arraysOf).map(identifier);
  return sql`
    /* store.rollup_spans */
    select
      (extract(epoch from r.collected_at) * 1000)::bigint as at,
      r.runs, r.covered_seconds, r.object_ids,
      ${join(arrays.map((array) => sql`r.${array}`))}
    from ${table(name)} r
    where ${within(slice)}`;
}
