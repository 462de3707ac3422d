// Which databases servers had when that was read last, from the newest run of the probe `pg_database`.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { newestRun } from './relations.ts';

export interface KnownDatabases {
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
  names: readonly string[];
}

/** Of those connections of which it was ever read. */
export const newestDatabases = (db: Db, connection_ids: readonly number[]): Promise<KnownDatabases[]> =>
  db.rows<KnownDatabases>(sql`/* store.newest_databases */
    select
      s.connection_id,
      (extract(epoch from s.collected_at) * 1000)::float8 as at,
      coalesce((select array_agg(x.one ->> 'datname') from jsonb_array_elements(s.rows) as x (one)), '{}') as names
    from ${newestRun('pg_database')} s
    where s.connection_id = any (${connection_ids}::int[]) and s.collected_at is not null`);
