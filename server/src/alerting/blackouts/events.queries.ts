// Blackouts as events of a timeline. Guards: only those that hold for one of the servers that are given, which the caller may
// read; nothing that lies ahead.
import { type Sql, sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { type BlackoutScope, holdsFor, targetName } from './targets.queries.ts';

export interface BlackoutEventRow {
  event_type: 'blackout_started' | 'blackout_ended';
  occurred_at: string;
  blackout_id: number;
  scope: BlackoutScope;
  scope_id: number | null;
  database_name: string | null;
  reason: string;
  created_by: string;
  start_time: string;
  end_time: string;
  target_name: string | null;
  /** Of all that match. */
  total_count: number;
}

export interface BlackoutEventsFilter {
  connection_ids: readonly number[];
  types: readonly string[];
  /** Milliseconds since the epoch, both inclusive. */
  from: number;
  to: number;
  now: number;
  limit: number;
}

/**
 * A part of a statement: rows as `BlackoutEventRow`, the newest first, at most `limit` of them. The end of one that was never in force,
 * or is not over, is no event.
 */
export function blackoutEvents(filter: BlackoutEventsFilter): Sql {
  const [from, to] = [iso(filter.from), iso(Math.min(filter.to, filter.now))];
  return sql`/* blackouts.events_part */
    select
      e.event_type, e.occurred_at, b.id as blackout_id, b.scope, b.scope_id, b.database_name, b.reason, b.created_by,
      b.start_time, b.end_time, ${targetName} as target_name, count(*) over () as total_count
    from matriarch.blackouts b
    cross join lateral (
      values ('blackout_started', b.start_time), ('blackout_ended', b.end_time)
    ) e (event_type, occurred_at)
    where b.start_time <= ${to}::timestamptz
      and b.end_time >= ${from}::timestamptz
      and e.occurred_at between ${from}::timestamptz and ${to}::timestamptz
      and e.event_type = any (${filter.types}::text[])
      and exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = any (${filter.connection_ids}::int[]) and ${holdsFor}
      )
    order by e.occurred_at desc, e.event_type, b.id
    limit ${filter.limit}`;
}
