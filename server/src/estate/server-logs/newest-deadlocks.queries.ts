// The statement that reads the newest deadlock of each database in the logs of some servers.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface DeadlockRow {
  connection_id: number;
  database_name: string;
  occurred_at: string;
  process_id: string;
  /** Of the statement that PostgreSQL ended; empty where the log does not say it. */
  queryid: string;
  detail: string;
}

export const newestDeadlockRows = (
  db: Db,
  { connection_ids, from, to }: { connection_ids: readonly number[]; from: number; to: number },
): Promise<DeadlockRow[]> =>
  db.rows<DeadlockRow>(sql`/* server_logs.newest_deadlocks */
    select distinct on (e.connection_id, e.database_name)
      e.connection_id, e.database_name, e.occurred_at, e.process_id, e.queryid, e.detail
    from matriarch.log_events e
    where e.connection_id = any (${connection_ids}::integer[]) and e.class = 'deadlock'
      and e.occurred_at >= to_timestamp(${from / 1000}::double precision)
      and e.occurred_at < to_timestamp(${to / 1000}::double precision)
    order by e.connection_id, e.database_name, e.occurred_at desc, e.id desc`);
