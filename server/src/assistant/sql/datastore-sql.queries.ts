// The statements around a statement on the datastore: what its caller sees, and which session may read it.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** Calls that broke off before they took their row away. */
const STALE = '2 minutes';

/** False: somebody else is registered under that number, as behind a pooler. */
export async function registerSession(
  db: Db,
  { pid, principal }: { pid: number; principal: Principal },
): Promise<boolean> {
  const count = await db.run(sql`/* sql.register_session */
    with gone as (
      delete from matriarch.query_sessions q where q.began_at < now() - ${STALE}::interval and q.pid <> ${pid}
    )
    insert into matriarch.query_sessions as q (pid, connection_ids)
    select ${pid}, coalesce(array_agg(c.id), '{}')
    from matriarch.connections c
    where c.deleted_at is null and ${visible(principal)}
    on conflict (pid) do update
    set connection_ids = excluded.connection_ids, began_at = now()
    where q.began_at < now() - ${STALE}::interval`);
  return count === 1;
}

export async function forgetSession(db: Db, pid: number): Promise<void> {
  await db.run(sql`/* sql.forget_session */ delete from matriarch.query_sessions where pid = ${pid}`);
}
