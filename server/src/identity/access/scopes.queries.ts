// What is visible of clusters and groups: the one place that says so, as SQL on a row `cl` of matriarch.clusters or
// `g` of matriarch.cluster_groups. Guards: a cluster shows when one of its servers does; what holds none shows only to
// those who manage connections, and no permission shows a cluster whose servers the caller may not see.
import { type Sql, sql } from '../../kernel/sql.ts';
import { visible } from './access.queries.ts';
import { hasPermission } from './permissions.ts';
import type { Principal } from './principal.ts';

/** The connection that the clusters row `cl` stands for alone; null for all others. */
export const loneServer = sql`substring(cl.auto_cluster_key from '^standalone:([0-9]+)$')::int`;

/** Joins of a row `cl` that `clusterName` needs; `seen` is what detection says of it. */
export const clusterJoins = sql`
  left join matriarch.topology_clusters seen on seen.cluster_key = cl.auto_cluster_key
  left join matriarch.connections lone on lone.id = ${loneServer} and lone.deleted_at is null`;

export const clusterName = sql`
  case when cl.named_by_hand then cl.name else coalesce(lone.name, seen.name, cl.name) end`;

/** True where the connection `c` is a server of the cluster `cl`, or the one that `cl` stands for. */
const belongs = sql`(c.cluster_id = cl.id or c.id = ${loneServer})`;

/** True for who sees clusters and groups that hold nothing, as SQL. */
const managesConnections = (principal: Principal) =>
  sql`${hasPermission(principal, 'manage_connections')}::boolean`;

/** True where `principal` can see the clusters row `cl`. */
export function visibleCluster(principal: Principal): Sql {
  return sql`(
    exists (select from matriarch.connections c where ${belongs} and ${visible(principal)})
    or ${managesConnections(principal)}
      and not exists (select from matriarch.connections c where ${belongs} and c.deleted_at is null)
  )`;
}

/** True where `principal` can see the cluster_groups row `g`. */
export function visibleClusterGroup(principal: Principal): Sql {
  return sql`(
    ${managesConnections(principal)}
    or g.is_default
    or g.is_shared
    or coalesce(g.owner_id = ${principal.user_id}::int, false)
    or exists (
      select from matriarch.clusters cl
      where cl.group_id = g.id and not cl.dismissed and ${visibleCluster(principal)}
    )
  )`;
}
