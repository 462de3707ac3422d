// Has the collectors look at the log of a server that a person follows.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/**
 * Has the collectors look at the log every second for 45 seconds, and wakes them when they did not; nothing where it is not monitored.
 * Asked again within ten seconds it writes nothing.
 */
export const watchLogs = (db: Db, connection_id: number): Promise<number> =>
  db.run(sql`/* log_tail.watch */
    with before as materialized (
      select c.id, c.logs_watched_at as at
      from matriarch.connections c
      where c.id = ${connection_id} and c.deleted_at is null and c.is_monitored
        and (c.logs_watched_at is null or c.logs_watched_at < now() - interval '10 seconds')
    ),
    watched as (
      update matriarch.connections c
      set logs_watched_at = now()
      from before b
      where c.id = b.id
      returning b.id, b.at
    )
    select pg_notify('matriarch_connections', w.id::text)
    from watched w
    where w.at is null or w.at < now() - interval '45 seconds'`);
