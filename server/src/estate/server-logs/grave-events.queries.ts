// How many events of some classes the logs of servers had in which minutes. Guards: at most so many minutes are answered, the newest.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface GraveWindow {
  readonly ids: readonly number[];
  /** Milliseconds since the epoch, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly classes: readonly string[];
  readonly limit: number;
}

export interface GraveMinute {
  connection_id: number;
  class: string;
  /** Of the first event in that minute. */
  first_at: string;
  events: number;
  /** How many such minutes there are. */
  total: number;
}

export const graveMinutes = (
  db: Db,
  { ids, from, to, classes, limit }: GraveWindow,
): Promise<GraveMinute[]> =>
  db.rows<GraveMinute>(sql`/* server_logs.grave_minutes */
    select
      e.connection_id, e.class, min(e.occurred_at) as first_at, count(*)::int as events, (count(*) over ())::int as total
    from matriarch.log_events e
    where e.connection_id = any(${ids}::int[]) and e.class = any(${classes}::text[])
      and e.occurred_at >= to_timestamp(${from / 1000}::float8) and e.occurred_at <= to_timestamp(${to / 1000}::float8)
    group by e.connection_id, e.class, date_trunc('minute', e.occurred_at, 'UTC')
    order by first_at desc, e.connection_id, e.class
    limit ${limit}`);
