// Counts of the logs of many servers. Guards: which servers are meant was decided by the access function in one statement, and counts are
// read of those alone.
import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { SourceRow } from './server-logs.queries.ts';

export interface SeenRow extends SourceRow {
  connection_id: number;
  connection_name: string;
}

/** Servers that the caller sees, with how reading of their logs is doing. */
export const seenSources = (db: Db, principal: Principal): Promise<SeenRow[]> =>
  db.rows<SeenRow>(sql`/* estate_logs.sources */
    select
      c.id as connection_id, c.name as connection_name, c.username, c.is_monitored, s.format, s.reason, s.mend,
      s.reading_since, s.looked_at, s.read_until
    from matriarch.connections c
    left join matriarch.log_sources s on s.connection_id = c.id
    where c.deleted_at is null and ${visible(principal)}
    order by c.name, c.id`);

interface ManyGrid {
  readonly ids: readonly number[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** Classes of events that are critical or warnings. */
  readonly grave: readonly string[];
}

export interface SumRow {
  /** null: of all servers. */
  connection_id: number | null;
  /** null: of all grave classes. */
  class: string | null;
  /** null: of the whole time. */
  bucket: number | null;
  events: number;
  kept: number;
}

/** By class and time, by server and class, and of what is grave by server and time: one read of the counts. */
export const sumsOfMany = (db: Db, { ids, from, to, width, grave }: ManyGrid): Promise<SumRow[]> =>
  db.rows<SumRow>(sql`/* estate_logs.sums */
    with counted as (
      select
        c.connection_id,
        c.class,
        date_bin(make_interval(secs => ${width / 1000}::float8), c.minute, to_timestamp(${from / 1000}::float8)) as slot,
        -- Exact, and much less work than numeric, which sums of bigint are.
        sum(c.events::float8) as events,
        sum(c.kept::float8) as kept
      from matriarch.log_counts c
      where c.connection_id = any(${ids}::int[])
        and c.minute >= to_timestamp(${from / 1000}::float8) and c.minute < to_timestamp(${to / 1000}::float8)
      group by 1, 2, 3
    ),
    placed as (
      select
        s.connection_id, s.class, s.class = any(${grave}::text[]) as is_grave, s.events, s.kept,
        round((extract(epoch from s.slot)::float8 * 1000 - ${from}::float8) / ${width}::float8)::int as bucket
      from counted s
    )
    select
      k.connection_id, k.class, k.bucket, sum(k.events)::bigint as events, sum(k.kept)::bigint as kept
    from placed k
    group by grouping sets ((k.class, k.bucket), (k.connection_id, k.class), (k.connection_id, k.bucket, k.is_grave))
    having grouping(k.is_grave) = 1 or k.is_grave`);
