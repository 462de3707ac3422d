// SQL of membership: connections.cluster_id and membership_source, written here and by detection, which leaves alone
// whatever is pinned.

import { clusterJoins, clusterName, type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { clusterReplication, detectedKey } from './clusters.queries.ts';
import type { ConnectionClusterInfo, MEMBERSHIPS } from './clusters.schemas.ts';
import { type ServerStateRow, serverJoins, serverRole, serverState } from './servers.queries.ts';

export type Membership = (typeof MEMBERSHIPS)[number];

export interface MemberRow extends ServerStateRow {
  id: number;
  name: string;
  host: string;
  port: number;
  database_name: string;
  membership_source: Membership;
  role: string | null;
}

export function listMembers(db: Db, principal: Principal, clusterId: number): Promise<MemberRow[]> {
  return db.rows<MemberRow>(sql`/* clusters.members */
    select c.id, c.name, c.host, c.port, c.database_name, c.membership_source, ${serverRole} as role, ${serverState}
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    ${serverJoins}
    where s.cluster_id = ${clusterId}::int and ${visible(principal)}
    order by lower(c.name), c.id`);
}

export interface MemberName {
  id: number;
  name: string;
}

/** Which of these connections are servers of the cluster. */
export function findMembers(db: Db, clusterId: number, ids: readonly number[]): Promise<MemberName[]> {
  return db.rows<MemberName>(sql`/* clusters.find_members */
    select c.id, c.name
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    where s.cluster_id = ${clusterId}::int and s.connection_id = any(${ids}::int[])`);
}

export interface Pin {
  connection_id: number;
  /** Null: to no cluster. */
  cluster_id: number | null;
  /** Null takes a given role away; undefined keeps it while the cluster stays the same. */
  role: string | null | undefined;
}

/** Answers its name; undefined when the connection has gone. */
export async function pinConnection(
  db: Db,
  { connection_id, cluster_id, role }: Pin,
): Promise<string | undefined> {
  const row = await db.maybe<MemberName>(sql`/* clusters.pin */
    update matriarch.connections c
    set cluster_id = ${cluster_id}::int,
      membership_source = 'manual',
      role_override = case
        when ${role !== undefined}::boolean then ${role ?? null}::text
        when c.membership_source = 'manual' and c.cluster_id = ${cluster_id}::int then c.role_override
      end,
      updated_at = now()
    where c.id = ${connection_id}::int and c.deleted_at is null
    returning c.id, c.name`);
  return row?.name;
}

/** The stored cluster that detection puts the connection `c` into, shown or dismissed. */
const detectedCluster = sql`(
  select cl.id from matriarch.clusters cl where cl.auto_cluster_key = ${detectedKey}
)`;

function giveBack(db: Db, where: Sql, role: string | null): Promise<MemberName[]> {
  return db.rows<MemberName>(sql`/* clusters.give_back */
    update matriarch.connections c
    set cluster_id = ${detectedCluster},
      membership_source = 'auto',
      role_override = ${role}::text,
      updated_at = now()
    where c.deleted_at is null and ${where}
    returning c.id, c.name`);
}

/** All servers of a cluster, to detection; answers their ids. */
export async function giveBackMembers(db: Db, clusterId: number): Promise<number[]> {
  return (await giveBack(db, sql`c.cluster_id = ${clusterId}::int`, null)).map(({ id }) => id);
}

/** One connection, to detection; where that has not looked yet, what somebody says counts until it does. */
export async function giveBackConnection(
  db: Db,
  { connection_id, cluster_id, role }: Pin,
): Promise<string | undefined> {
  const [row] = await giveBack(db, sql`c.id = ${connection_id}::int`, role ?? null);
  await db.run(sql`/* clusters.presume */
    update matriarch.connections c
    set cluster_id = ${cluster_id}::int
    where c.id = ${connection_id}::int
      and ${cluster_id}::int is not null
      and not exists (select from matriarch.topology_nodes n where n.connection_id = c.id)`);
  await db.run(sql`/* clusters.show_detected */
    update matriarch.clusters cl
    set dismissed = false, updated_at = now()
    from matriarch.connections c
    where c.id = ${connection_id}::int and cl.id = c.cluster_id and cl.dismissed`);
  return row?.name;
}

export type MembershipRow = Static<typeof ConnectionClusterInfo>;

/** Of a connection that stands alone without a stored row, nothing but its role. */
export function findMembership(db: Db, connectionId: number): Promise<MembershipRow> {
  return db.one<MembershipRow>(sql`/* clusters.membership */
    select
      s.cluster_id, ${serverRole} as role, c.membership_source,
      case when s.cluster_id is null then spotted.name else ${clusterName} end as cluster_name,
      case when s.cluster_id is null then spotted.replication_type else ${clusterReplication} end as replication_type,
      case when s.cluster_id is null then spotted.cluster_key else cl.auto_cluster_key end as auto_cluster_key
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    left join matriarch.topology_nodes n on n.connection_id = c.id
    left join matriarch.clusters cl on cl.id = s.cluster_id
    ${clusterJoins}
    left join matriarch.topology_clusters spotted on s.cluster_id is null
      and not s.is_hidden
      and spotted.cluster_key = s.cluster_key
      and spotted.cluster_type <> 'server'
    where s.connection_id = ${connectionId}::int`);
}
