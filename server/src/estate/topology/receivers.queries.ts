// SQL that notes since when a standby has been without a WAL receiver. Guards: only what changed is written, and what is
// not read says nothing, so a standby that cannot be reached keeps what was known of it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { newestRun } from '../../store/read/doors/relations.ts';

/** Standbys of which it is not noted yet that they lost their receiver or got one. */
export const CHANGED_RECEIVERS = sql`(
    select n.connection_id, case when r.is_missing then r.collected_at end as missing_since
    from (
      select s.connection_id, s.collected_at,
        jsonb_path_exists(s.rows, '$[*] ? (@.role == "standby" && @.pid == 0)') as is_missing
      from ${newestRun('pg_stat_replication')} s
      where s.collected_at is not null
      offset 0
    ) r
    join matriarch.topology_nodes n on n.connection_id = r.connection_id
    where r.is_missing <> (n.receiver_missing_since is not null)
  )`;

/** Answers how many standbys lost their receiver or got one. */
export function noteReceivers(db: Db): Promise<number> {
  return db.run(sql`/* topology.note_receivers */
    update matriarch.topology_nodes n
    set receiver_missing_since = c.missing_since
    from ${CHANGED_RECEIVERS} c
    where c.connection_id = n.connection_id`);
}
