// SQL of stored clusters. A name that nobody gave by hand follows what it stands for: the lone server, or what
// detection calls the cluster.

import {
  clusterJoins,
  clusterName,
  loneServer,
  type Principal,
  visible,
  visibleCluster,
} from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { REPLICATION_TYPES } from './clusters.schemas.ts';

export type ReplicationType = (typeof REPLICATION_TYPES)[number];

export interface ClusterRow {
  id: number;
  /** Null: the default group. */
  group_id: number | null;
  name: string;
  description: string;
  replication_type: ReplicationType | null;
  auto_cluster_key: string | null;
  dismissed: boolean;
  created_at: string;
  updated_at: string;
}

export const clusterReplication = sql`coalesce(cl.replication_type, seen.replication_type)`;

const columns = sql`
  cl.id, cl.group_id, ${clusterName} as name, cl.description, ${clusterReplication} as replication_type,
  cl.auto_cluster_key, cl.dismissed, cl.created_at, cl.updated_at`;

const rows = (where: Sql) => sql`(
  select ${columns}
  from matriarch.clusters cl
  ${clusterJoins}
  where ${where}
  order by lower(${clusterName}), cl.id
)`;

export function findCluster(db: Db, principal: Principal, id: number): Promise<ClusterRow | undefined> {
  return db.maybe<ClusterRow>(sql`/* clusters.get */
    ${rows(sql`cl.id = ${id}::int and ${visibleCluster(principal)}`)}`);
}

/** The stored row of the first of these keys that has one. */
export function findClusterByKey(
  db: Db,
  principal: Principal,
  keys: readonly string[],
): Promise<ClusterRow | undefined> {
  return db.maybe<ClusterRow>(sql`/* clusters.get_by_key */
    select found.*
    from (
      ${rows(sql`cl.auto_cluster_key = any(${keys}::text[]) and ${visibleCluster(principal)}`)}
    ) found
    order by array_position(${keys}::text[], found.auto_cluster_key)
    limit 1`);
}

export function listClusters(
  db: Db,
  principal: Principal,
  include_dismissed: boolean,
): Promise<ClusterRow[]> {
  return db.rows<ClusterRow>(sql`/* clusters.list */
    ${rows(sql`(not cl.dismissed or ${include_dismissed}::boolean) and ${visibleCluster(principal)}`)}`);
}

export function listGroupClusters(db: Db, principal: Principal, groupId: number): Promise<ClusterRow[]> {
  return db.rows<ClusterRow>(sql`/* clusters.list_of_group */
    ${rows(sql`not cl.dismissed
      and coalesce(cl.group_id, (select g.id from matriarch.cluster_groups g where g.is_default)) = ${groupId}::int
      and ${visibleCluster(principal)}`)}`);
}

export interface DetectedRow {
  cluster_key: string;
  name: string;
}

/** What shows under one of these keys without a stored row, if the caller can see any of its servers. */
export function findDetected(
  db: Db,
  principal: Principal,
  keys: readonly string[],
): Promise<DetectedRow | undefined> {
  return db.maybe<DetectedRow>(sql`/* clusters.get_detected */
    select s.cluster_key, coalesce(seen.name, c.name) as name
    from matriarch.connection_scopes s
    join matriarch.connections c on c.id = s.connection_id
    left join matriarch.topology_clusters seen on seen.cluster_key = s.cluster_key
    where s.cluster_key = any(${keys}::text[])
      and s.cluster_id is null
      and ${visible(principal)}
    order by array_position(${keys}::text[], s.cluster_key), c.id
    limit 1`);
}

export interface NewCluster {
  name: string;
  description: string;
  replication_type: ReplicationType | null;
  group_id: number | null;
}

export async function insertCluster(db: Db, cluster: NewCluster): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* clusters.insert */
    insert into matriarch.clusters (name, description, replication_type, group_id, named_by_hand)
    values (
      ${cluster.name}, ${cluster.description}, ${cluster.replication_type}, ${cluster.group_id}::int, true
    )
    returning id`);
  return id;
}

/** What detection says the connection `c` belongs to; alone until it was looked at. */
export const detectedKey = sql`coalesce(
  (select n.cluster_key from matriarch.topology_nodes n where n.connection_id = c.id), 'standalone:' || c.id
)`;

/** Stores what detection sees, unless somebody else just did, and lets its servers belong to it. */
export async function storeDetected(db: Db, { cluster_key, name }: DetectedRow): Promise<number> {
  await db.run(sql`/* clusters.store_detected */
    insert into matriarch.clusters (name, auto_cluster_key)
    values (${name}, ${cluster_key})
    on conflict (auto_cluster_key) do nothing`);
  const { id } = await db.one<{ id: number }>(sql`/* clusters.lock_detected */
    select cl.id from matriarch.clusters cl where cl.auto_cluster_key = ${cluster_key} for update`);
  await db.run(sql`/* clusters.attach_detected */
    update matriarch.connections c
    set cluster_id = ${id}
    where c.membership_source = 'auto'
      and c.cluster_id is null
      and c.deleted_at is null
      and ${detectedKey} = ${cluster_key}`);
  return id;
}

/** A server that is pinned to no cluster comes into the row that stands for it alone. */
export async function attachLone(db: Db, id: number): Promise<void> {
  await db.run(sql`/* clusters.attach_lone */
    update matriarch.connections c
    set cluster_id = cl.id
    from matriarch.clusters cl
    where cl.id = ${id}::int
      and c.id = ${loneServer}
      and c.membership_source = 'manual'
      and c.cluster_id is null
      and c.deleted_at is null`);
}

export interface ClusterChange {
  name: string | null;
  description: string | null;
  replication_type: ReplicationType | null;
  dismissed: boolean | null;
  /** Undefined stays, null is the default group. */
  group_id: number | null | undefined;
}

export async function updateCluster(db: Db, id: number, change: ClusterChange): Promise<void> {
  await db.run(sql`/* clusters.update */
    update matriarch.clusters cl
    set name = coalesce(${change.name}::text, cl.name),
      named_by_hand = cl.named_by_hand or ${change.name}::text is not null,
      description = coalesce(${change.description}::text, cl.description),
      replication_type = coalesce(${change.replication_type}::text, cl.replication_type),
      dismissed = coalesce(${change.dismissed}::boolean, cl.dismissed),
      group_id = case
        when ${change.group_id !== undefined}::boolean then ${change.group_id ?? null}::int
        else cl.group_id
      end,
      updated_at = now()
    where cl.id = ${id}::int`);
}

/** The row stays as it is until the transaction ends; answers what it stands for, undefined when it is gone. */
export function lockCluster(db: Db, id: number): Promise<{ auto_cluster_key: string | null } | undefined> {
  return db.maybe(sql`/* clusters.lock */
    select cl.auto_cluster_key from matriarch.clusters cl where cl.id = ${id}::int for update`);
}

/** Its relationships go with it. */
export async function deleteCluster(db: Db, id: number): Promise<void> {
  await db.run(sql`/* clusters.delete */ delete from matriarch.clusters cl where cl.id = ${id}::int`);
}

export async function showCluster(db: Db, id: number): Promise<void> {
  await db.run(sql`/* clusters.show */
    update matriarch.clusters cl
    set dismissed = false, updated_at = now()
    where cl.id = ${id}::int and cl.dismissed`);
}
