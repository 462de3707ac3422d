// What the summaries know of servers beside what was measured over a window: names, and the newest samples.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { newestRows } from '../../store/read/relations.ts';

export interface DatabaseAge {
  connection_id: number;
  connection_name: string;
  /** Null where no database is known. */
  database_name: string | null;
  age: number | null;
}

/** Of each connection at least one row; the oldest first. */
export function findDatabaseAges(db: Db, connectionIds: readonly number[]): Promise<DatabaseAge[]> {
  return db.rows<DatabaseAge>(sql`/* performance.database_ages */
    select c.id as connection_id, c.name as connection_name, d.datname as database_name, d.age_datfrozenxid as age
    from matriarch.connections c
    left join ${newestRows('pg_database', ['datname', 'age_datfrozenxid'])} d
      on d.connection_id = c.id and d.age_datfrozenxid is not null
    where c.id = any (${connectionIds}::integer[])
    order by c.id, d.age_datfrozenxid desc nulls last, d.datname`);
}
