// What a blackout or schedule is for, as SQL on a row `b` of either table. Guards: nobody sees one whose server, cluster or
// group they cannot see; estate-wide ones show to everybody.

import { type Principal, visible, visibleCluster, visibleClusterGroup } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export type BlackoutScope = 'estate' | 'group' | 'cluster' | 'server';

export interface Target {
  scope: BlackoutScope;
  /** Of the connection, the stored cluster or the group; null for the estate. */
  scope_id: number | null;
  database_name: string | null;
}

/** True where `principal` can see what `b` is for. */
export const visibleTarget = (principal: Principal): Sql => sql`(
    b.scope = 'estate'
    or b.scope = 'server'
      and b.scope_id in (select c.id from matriarch.connections c where c.deleted_at is null and ${visible(principal)})
    or b.scope = 'cluster'
      and b.scope_id in (select cl.id from matriarch.clusters cl where ${visibleCluster(principal)})
    or b.scope = 'group'
      and b.scope_id in (select g.id from matriarch.cluster_groups g where ${visibleClusterGroup(principal)})
  )`;

/** The name of what `b` is for; null for the estate. */
export const targetName = sql`case b.scope
    when 'server' then (select t.name from matriarch.connections t where t.id = b.scope_id)
    when 'cluster' then (select t.name from matriarch.clusters t where t.id = b.scope_id)
    when 'group' then (select t.name from matriarch.cluster_groups t where t.id = b.scope_id)
  end`;

/** True where `b` holds for the connection `s` of matriarch.connection_scopes. */
export const holdsFor = sql`(
    b.scope = 'estate'
    or b.scope = 'server' and b.scope_id = s.connection_id
    or b.scope = 'cluster' and b.scope_id = s.cluster_id
    or b.scope = 'group' and b.scope_id = s.group_id
  )`;

export interface TargetFilter {
  scope?: BlackoutScope | undefined;
  group_id?: number | undefined;
  cluster_id?: number | undefined;
  connection_id?: number | undefined;
}

/** True where `b` is for just that. */
export function isFor({ scope, group_id, cluster_id, connection_id }: TargetFilter): Sql {
  return sql`(
    (${scope ?? null}::text is null or b.scope = ${scope ?? null})
    and (${group_id ?? null}::int is null or b.scope = 'group' and b.scope_id = ${group_id ?? null})
    and (${cluster_id ?? null}::int is null or b.scope = 'cluster' and b.scope_id = ${cluster_id ?? null})
    and (${connection_id ?? null}::int is null or b.scope = 'server' and b.scope_id = ${connection_id ?? null})
  )`;
}

const ROWS: Record<Exclude<BlackoutScope, 'estate'>, Sql> = {
  server: sql`matriarch.connections t where t.deleted_at is null and`,
  cluster: sql`matriarch.clusters t where`,
  group: sql`matriarch.cluster_groups t where`,
};

/** Keeps it from being deleted until the end of the transaction; false when it has gone. */
export async function holdTarget(db: Db, { scope, scope_id }: Target): Promise<boolean> {
  if (scope === 'estate') return true;
  const found = await db.maybe<{ id: number }>(sql`/* blackouts.hold_target */
    select t.id
    from ${ROWS[scope]} t.id = ${scope_id}::int
    for share`);
  return found !== undefined;
}
