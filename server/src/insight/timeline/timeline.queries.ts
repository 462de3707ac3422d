// The servers whose events somebody may see.

import { loneServer, type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { newestRows } from '../../store/read/doors/relations.ts';

export interface SeenServer {
  id: number;
  name: string;
  /** As the newest reading says, with the start of the server at that time. */
  primary_role: string | null;
  started_at: string | null;
  is_monitored: boolean;
  /** It is the datastore that the product brings: tables and statements there are its own. */
  is_embedded: boolean;
}

/** All that `principal` can read, those of these, or those of a cluster. */
export function findServers(
  db: Db,
  principal: Principal,
  { ids, cluster_id }: { ids: readonly number[] | undefined; cluster_id: number | undefined },
): Promise<SeenServer[]> {
  return db.rows<SeenServer>(sql`/* timeline.servers */
    select c.id, c.name, c.is_monitored, c.is_embedded, r.primary_role, r.postmaster_start_time as started_at
    from matriarch.connections c
    left join ${newestRows('pg_node_role', ['primary_role', 'postmaster_start_time'])} r on r.connection_id = c.id
    where c.deleted_at is null
      and (${ids ?? null}::integer[] is null or c.id = any (${ids ?? null}::integer[]))
      and (${cluster_id ?? null}::integer is null or exists (
        select
        from matriarch.clusters cl
        where cl.id = ${cluster_id ?? null} and (c.cluster_id = cl.id or c.id = ${loneServer})
      ))
      and ${visible(principal)}`);
}

/** When each of these servers was added, in milliseconds since the epoch. */
export async function addedAt(db: Db, connection_ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.rows<{ id: number; created_at: string }>(sql`/* timeline.added_at */
    select c.id, c.created_at from matriarch.connections c where c.id = any (${connection_ids}::int[])`);
  return new Map(rows.map(({ id, created_at }) => [id, Date.parse(created_at)]));
}
