// What a scope is in the datastore, and what hangs on it. Whatever is stored for servers, clusters or groups by their
// id alone is deleted here, so that a deletion in any room leaves nothing behind.

import {
  isLimitedToSome,
  type Principal,
  visible,
  visibleCluster,
  visibleClusterGroup,
} from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Scope, ScopeKind } from './scopes.schemas.ts';

const rowsOf: Record<ScopeKind, (principal: Principal) => Sql> = {
  server: (principal) => sql`(select c.id from matriarch.connections c where ${visible(principal)})`,
  cluster: (principal) => sql`(select cl.id from matriarch.clusters cl where ${visibleCluster(principal)})`,
  group: (principal) =>
    sql`(select g.id from matriarch.cluster_groups g where ${visibleClusterGroup(principal)})`,
};

/** Whether `principal` can see that server, cluster or group. */
export async function isScopeVisible(
  db: Db,
  principal: Principal,
  { scope, scope_id }: Scope,
): Promise<boolean> {
  const found = await db.maybe(sql`/* scopes.find */
    select seen.id from ${rowsOf[scope](principal)} seen where seen.id = ${scope_id}::int`);
  return found !== undefined;
}

const memberOf: Record<ScopeKind, (id: number) => Sql> = {
  server: (id) => sql`s.connection_id = ${id}::int`,
  // One that is dismissed holds what it will hold again.
  cluster: (id) => sql`${id}::int in (s.cluster_id, c.cluster_id)`,
  group: (id) => sql`s.group_id = ${id}::int`,
};

/**
 * Whether `principal` sees every server of that cluster or group. A token that is limited to some connections has to see one
 * there: what holds none now may hold others later.
 */
export async function isScopeWhole(
  db: Db,
  principal: Principal,
  { scope, scope_id }: Scope,
): Promise<boolean> {
  const row = await db.one<{ whole: boolean }>(sql`/* scopes.whole */
    select coalesce(bool_and(${visible(principal)}), not ${isLimitedToSome(principal)}::boolean) as whole
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id and c.deleted_at is null
    where ${memberOf[scope](scope_id)}`);
  return row.whole;
}

/** What groups of users were granted on clusters or groups. */
export async function deleteGrants(db: Db, scope: ScopeKind, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* scopes.delete_grants */
    delete from matriarch.group_scopes gs where gs.scope = ${scope} and gs.scope_id = any(${ids}::int[])`);
}

/** Whether a group of users was granted a cluster or group. */
export async function isGranted(db: Db, { scope, scope_id }: Scope): Promise<boolean> {
  const { granted } = await db.one<{ granted: boolean }>(sql`/* scopes.is_granted */
    select exists (
      select from matriarch.group_scopes gs where gs.scope = ${scope} and gs.scope_id = ${scope_id}::int
    ) as granted`);
  return granted;
}

/** Schedules first: whoever makes a blackout of one holds it until that is stored, and it is then deleted as well. */
export async function deleteBlackouts(db: Db, scope: ScopeKind, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* scopes.delete_blackout_schedules */
    delete from matriarch.blackout_schedules b where b.scope = ${scope} and b.scope_id = any(${ids}::int[])`);
  await db.run(sql`/* scopes.delete_blackouts */
    delete from matriarch.blackouts b where b.scope = ${scope} and b.scope_id = any(${ids}::int[])`);
}

/** Takes deleted connections out of their clusters, and forgets whom they replicated with. */
export async function detachConnections(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* scopes.delete_access_members */
    delete from matriarch.access_members am where am.connection_id = any(${ids}::int[])`);
  await db.run(sql`/* scopes.delete_relationships */
    delete from matriarch.cluster_relationships r
    where r.source_connection_id = any(${ids}::int[]) or r.target_connection_id = any(${ids}::int[])`);
  await db.run(sql`/* scopes.detach */
    update matriarch.connections c
    set cluster_id = null, role_override = null
    where c.id = any(${ids}::int[]) and (c.cluster_id is not null or c.role_override is not null)`);
}

/** Rows that stood for a lone server and hold none but these; answers their ids. Before they are detached. */
export async function deleteLoneClusters(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`/* scopes.delete_lone_clusters */
    delete from matriarch.clusters cl
    using matriarch.connections gone
    where gone.id = any(${ids}::int[])
      and cl.auto_cluster_key like 'standalone:%'
      and (cl.id = gone.cluster_id or cl.auto_cluster_key = 'standalone:' || gone.id)
      and not exists (
        select from matriarch.connections c
        where (c.cluster_id = cl.id or cl.auto_cluster_key = 'standalone:' || c.id)
          and c.deleted_at is null
          and c.id <> all(${ids}::int[])
      )
    returning cl.id`);
  return rows.map(({ id }) => id);
}
