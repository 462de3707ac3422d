// The statement of blackouts as events: those that hold for servers somebody may see.
import { type Sql, sql } from '../../kernel/sql.ts';
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
  /** Both inclusive. */
  from: string;
  to: string;
  limit: number;
}

/** As a part of a statement, the newest first. The end of one that was never in force, or is not over, is no event. */
export const eventsPart = (wanted: BlackoutEventsFilter): Sql => sql`/* blackouts.events_part */
    select
      e.event_type, e.occurred_at, b.id as blackout_id, b.scope, b.scope_id, b.database_name, b.reason, b.created_by,
      b.start_time, b.end_time, ${targetName} as target_name, count(*) over () as total_count
    from matriarch.blackouts b
    cross join lateral (
      values ('blackout_started', b.start_time), ('blackout_ended', b.end_time)
    ) e (event_type, occurred_at)
    where b.start_time <= ${wanted.to}::timestamptz
      and b.end_time >= ${wanted.from}::timestamptz
      and e.occurred_at between ${wanted.from}::timestamptz and ${wanted.to}::timestamptz
      and e.event_type = any (${wanted.types}::text[])
      and exists (
        select
        from matriarch.connection_scopes s
        where s.connection_id = any (${wanted.connection_ids}::int[]) and ${holdsFor}
      )
    order by e.occurred_at desc, e.event_type, b.id
    limit ${wanted.limit}`;
