// The statements for alerts that are acknowledged elsewhere.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Status } from './alerts.types.ts';

export interface LockedAlert {
  connection_id: number;
  title: string;
  status: Status;
  acknowledged_by: string | null;
  false_positive: boolean;
}

/** Until the end of the transaction; undefined where its server is deleted. */
export const lockAlert = (db: Db, id: number): Promise<LockedAlert | undefined> =>
  db.maybe<LockedAlert>(sql`/* elsewhere.lock */
    select a.connection_id, a.title, a.status, a.acknowledged_by, a.false_positive
    from matriarch.alerts a
    join matriarch.connections c on c.id = a.connection_id and c.deleted_at is null
    where a.id = ${id}::bigint
    for update of a`);

/** Whether nothing has happened to the alert since then. */
export async function isNewest(db: Db, id: number, at: string): Promise<boolean> {
  const { is_newest } = await db.one<{ is_newest: boolean }>(sql`/* elsewhere.is_newest */
    select not exists (
      select
      from matriarch.alert_events e
      where e.alert_id = ${id}::bigint and e.occurred_at > ${at}::timestamptz
    ) as is_newest`);
  return is_newest;
}
