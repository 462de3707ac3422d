// What the summaries know of servers beside what was measured over a window: names, and the newest samples.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { newestRows, newestRowsOfDatabases, newestRun } from '../../store/read/doors/relations.ts';

export interface DatabaseAge {
  connection_id: number;
  connection_name: string;
  /** Null where no database is known. */
  database_name: string | null;
  age: number | null;
  collected_at: string | null;
}

/** Of each connection at least one row; the oldest first. */
export function findDatabaseAges(db: Db, connectionIds: readonly number[]): Promise<DatabaseAge[]> {
  return db.rows<DatabaseAge>(sql`/* performance.database_ages */
    select c.id as connection_id, c.name as connection_name, d.datname as database_name, d.age_datfrozenxid as age,
      d.collected_at
    from matriarch.connections c
    left join ${newestRows('pg_database', ['datname', 'age_datfrozenxid'])} d
      on d.connection_id = c.id and d.age_datfrozenxid is not null
    where c.id = any (${connectionIds}::integer[])
    order by c.id, d.age_datfrozenxid desc nulls last, d.datname`);
}

export interface NewestDatabase {
  database_name: string;
  /** Null where our role may not know it. */
  size_bytes: number | null;
  size_pretty: string | null;
  size_collected_at: string;
  active_connections: number;
  /** Null where no sessions were read. */
  sessions_collected_at: string | null;
}

/**
 * Without templates, the largest first. Sessions are those that the database's own statistics count; of a database that
 * is not read itself those that were seen on the server.
 */
export function findDatabases(db: Db, connectionId: number): Promise<NewestDatabase[]> {
  return db.rows<NewestDatabase>(sql`/* performance.databases */
    select
      d.datname as database_name,
      d.database_size_bytes as size_bytes,
      pg_size_pretty(d.database_size_bytes) as size_pretty,
      d.collected_at as size_collected_at,
      coalesce(
        case when s.numbackends is not null then s.collected_at end,
        (select r.collected_at from ${newestRun('pg_stat_activity')} r where r.connection_id = d.connection_id)
      ) as sessions_collected_at,
      coalesce(
        s.numbackends,
        (
          select coalesce(sum(coalesce(a.stands_for, 1)), 0)
          from ${newestRows('pg_stat_activity', ['datname', 'backend_type', 'stands_for'])} a
          where a.connection_id = d.connection_id
            and a.datname = d.datname
            and coalesce(a.backend_type, 'client backend') = 'client backend'
        )
      )::integer as active_connections
    from ${newestRows('pg_database', ['datname', 'datistemplate', 'database_size_bytes'])} d
    left join ${newestRowsOfDatabases('pg_stat_database', ['numbackends'])} s
      on s.connection_id = d.connection_id and s.database_name = d.datname
    where d.connection_id = ${connectionId} and d.datistemplate is not true
    order by d.database_size_bytes desc nulls last, d.datname`);
}
