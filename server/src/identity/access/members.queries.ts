// SQL of the servers that inherit what is granted on their cluster (matriarch.access_members, decision 012).
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** The highest level that groups of users hold on a cluster, by itself or by its group of clusters; 0 for none. */
export async function findGivenLevel(db: Db, clusterId: number): Promise<0 | 1 | 2> {
  const row = await db.one<{ level: 0 | 1 | 2 }>(sql`/* access.given_level */
    select coalesce(max(case gs.access_level when 'read_write' then 2 else 1 end), 0) as level
    from matriarch.clusters cl
    join matriarch.group_scopes gs
      on gs.scope_id = case gs.scope when 'cluster' then cl.id else cl.group_id end
    where cl.id = ${clusterId}::int`);
  return row.level;
}

export interface ServerOfCluster {
  connection_id: number;
  cluster_id: number;
}

/** The servers that belong to a cluster, or to any cluster of a group, now. */
export function listServersOf(
  db: Db,
  { scope, scope_id }: { scope: 'cluster' | 'group'; scope_id: number },
): Promise<ServerOfCluster[]> {
  return db.rows<ServerOfCluster>(sql`/* access.servers_of */
    select c.id as connection_id, cl.id as cluster_id
    from matriarch.connections c
    join matriarch.clusters cl on cl.id = c.cluster_id
    where c.deleted_at is null
      and not cl.dismissed
      and case when ${scope === 'cluster'}::boolean then cl.id else cl.group_id end = ${scope_id}::int
    order by c.id`);
}

/** Whether the server belongs to the cluster and inherits what is granted on it. */
export async function isMember(db: Db, { connection_id, cluster_id }: ServerOfCluster): Promise<boolean> {
  const row = await db.maybe(sql`/* access.is_member */
    select am.connection_id
    from matriarch.access_members am
    join matriarch.connections c on c.id = am.connection_id and c.cluster_id = am.cluster_id
    where am.connection_id = ${connection_id}::int and am.cluster_id = ${cluster_id}::int`);
  return row !== undefined;
}

/** Makes servers inherit what is granted on their cluster, with the system identifier that each reports now. */
export async function saveMembers(db: Db, servers: readonly ServerOfCluster[]): Promise<void> {
  await db.run(sql`/* access.save_members */
    insert into matriarch.access_members as am (connection_id, cluster_id, system_identifier)
    select m.connection_id, m.cluster_id, n.system_identifier
    from unnest(
      ${servers.map(({ connection_id }) => connection_id)}::int[],
      ${servers.map(({ cluster_id }) => cluster_id)}::int[]
    ) as m (connection_id, cluster_id)
    left join matriarch.topology_nodes n on n.connection_id = m.connection_id
    on conflict (connection_id) do update
    set cluster_id = excluded.cluster_id, system_identifier = excluded.system_identifier, created_at = now()`);
}

/** Servers that belong to another cluster by now, or to none, inherit nothing should they come back. */
export async function dropStrays(db: Db): Promise<void> {
  await db.run(sql`/* access.drop_strays */
    delete from matriarch.access_members am
    where not exists (
      select from matriarch.connections c
      where c.id = am.connection_id and c.cluster_id = am.cluster_id and c.deleted_at is null
    )`);
}

/** No server of a cluster inherits until a user admits it again. */
export async function dropMembers(db: Db, clusterId: number): Promise<void> {
  await db.run(sql`/* access.drop_members */
    delete from matriarch.access_members am where am.cluster_id = ${clusterId}::int`);
}

export interface Admitted extends ServerOfCluster {
  name: string;
  cluster_name: string;
}

/**
 * Servers that detection put into a cluster inherit as well where they report the system identifier that a member had
 * when it was admitted. What that member reports now does not count: a server can say anything of itself.
 */
export function admitSameSystem(db: Db): Promise<Admitted[]> {
  return db.rows<Admitted>(sql`/* access.admit_same_system */
    with admitted as (
      insert into matriarch.access_members (connection_id, cluster_id, system_identifier)
      select c.id, c.cluster_id, n.system_identifier
      from matriarch.connections c
      join matriarch.topology_nodes n on n.connection_id = c.id
      where c.deleted_at is null
        and c.membership_source = 'auto'
        and exists (
          select
          from matriarch.access_members am
          join matriarch.connections o on o.id = am.connection_id and o.cluster_id = am.cluster_id
          where am.cluster_id = c.cluster_id and am.system_identifier = n.system_identifier and o.deleted_at is null
        )
        and exists (
          select
          from matriarch.clusters cl
          join matriarch.group_scopes gs
            on gs.scope_id = case gs.scope when 'cluster' then cl.id else cl.group_id end
          where cl.id = c.cluster_id and not cl.dismissed
        )
      on conflict (connection_id) do nothing
      returning connection_id, cluster_id
    )
    select a.connection_id, a.cluster_id, c.name, cl.name as cluster_name
    from admitted a
    join matriarch.connections c on c.id = a.connection_id
    join matriarch.clusters cl on cl.id = a.cluster_id
    order by a.connection_id`);
}
