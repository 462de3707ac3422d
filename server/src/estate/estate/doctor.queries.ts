// What the doctor asks the datastore, in one statement.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface Vitals {
  server_version: string;
  live_collectors: number;
  /** Until when the collector that was heard of last is taken to live; null when none is remembered. */
  newest_lease_until: string | null;
  /** Why a collector that lives has no spool; null when all have one. */
  spool_problem: string | null;
  can_sign_in: boolean;
  monitored: number;
}

export function readVitals(db: Db): Promise<Vitals> {
  return db.one<Vitals>(sql`/* estate.vitals */
    select
      current_setting('server_version') as server_version,
      (select count(*) from matriarch.collectors where expires_at > now()) as live_collectors,
      (select max(expires_at) from matriarch.collectors) as newest_lease_until,
      (select min(spool_problem) from matriarch.collectors where expires_at > now()) as spool_problem,
      exists (
        select from matriarch.users
        where is_superuser and enabled and password_hash is not null
      ) as can_sign_in,
      (select count(*) from matriarch.connections where is_monitored and deleted_at is null) as monitored`);
}
