// The statements of what is in force: for the alerter and delivery, whoever may see it.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { holdsFor } from './targets.queries.ts';

export interface InForceRow {
  connection_id: number;
  /** Null: the whole server. */
  database_name: string | null;
  id: number;
  reason: string;
  end_time: string;
}

/** For each connection and database the one that lasts longest; of each target first, however many overlap there. */
export const listInForce = (db: Db, now: string): Promise<InForceRow[]> =>
  db.rows<InForceRow>(
    prepared(sql`/* blackouts.in_force */
    with longest as materialized (
      select distinct on (b.scope, b.scope_id, b.database_name)
        b.scope, b.scope_id, b.database_name, b.id, b.reason, b.end_time
      from matriarch.blackouts b
      where b.start_time <= ${now}::timestamptz and b.end_time > ${now}::timestamptz
      order by b.scope, b.scope_id, b.database_name, b.end_time desc, b.id
    )
    select distinct on (s.connection_id, b.database_name)
      s.connection_id, b.database_name, b.id, b.reason, b.end_time
    from longest b
    join matriarch.connection_scopes s on ${holdsFor}
    order by s.connection_id, b.database_name, b.end_time desc, b.id`),
  );
