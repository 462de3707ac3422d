// How many sessions a server takes and how many it had, both as read last. Null where nobody read them.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { factsInForce, newestRows, newestRun } from '../../store/read/doors/relations.ts';

export interface SessionSlots {
  max_connections: string | null;
  superuser_reserved_connections: string | null;
  /** From PostgreSQL 16. */
  reserved_connections: string | null;
  /** Processes of the server, a handful of its own among them. */
  sessions: number | null;
  /** When they were counted. */
  collected_at: string | null;
}

export function sessionSlots(db: Db, connectionId: number): Promise<SessionSlots> {
  const statement = sql`/* live.session_slots */
    select
      s.*,
      -- Of very many, some rows stand for several.
      (
        select sum(coalesce(a.stands_for, 1))
        from ${newestRows('pg_stat_activity', ['stands_for'])} a
        where a.connection_id = ${connectionId}
      )::integer as sessions,
      r.collected_at
    from (
      select
        max(f.value ->> 'setting') filter (where f.item_key = 'max_connections') as max_connections,
        max(f.value ->> 'setting') filter (where f.item_key = 'superuser_reserved_connections')
          as superuser_reserved_connections,
        max(f.value ->> 'setting') filter (where f.item_key = 'reserved_connections') as reserved_connections
      from ${factsInForce('pg_settings')} f
      where f.connection_id = ${connectionId}
        and f.database_name = ''
        and f.item_key in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')
    ) s
    left join ${newestRun('pg_stat_activity')} r on r.connection_id = ${connectionId}`;
  return db.one<SessionSlots>(prepared(statement));
}
