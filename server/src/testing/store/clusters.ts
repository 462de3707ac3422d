// Clusters and groups made directly in the tables, and what detection would have written, so that tests of the API do
// not wait for it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface ClusterOptions {
  name?: string;
  group_id?: number;
  key?: string;
  dismissed?: boolean;
  named_by_hand?: boolean;
}

let made = 0;

export async function makeCluster(db: Db, options: ClusterOptions = {}): Promise<number> {
  made += 1;
  const { group_id = null, key = null, dismissed = false, named_by_hand = false } = options;
  const { id } = await db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name, auto_cluster_key, dismissed, named_by_hand)
    values (${group_id}::int, ${options.name ?? `cluster ${made}`}, ${key}::text, ${dismissed}, ${named_by_hand})
    returning id`);
  return id;
}

export interface GroupOptions {
  name?: string;
  owner_id?: number;
  is_shared?: boolean;
}

export async function makeGroup(db: Db, options: GroupOptions = {}): Promise<number> {
  made += 1;
  const { id } = await db.one<{ id: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, owner_id, is_shared)
    values (${options.name ?? `group ${made}`}, ${options.owner_id ?? null}::int, ${options.is_shared ?? false})
    returning id`);
  return id;
}

export async function joinCluster(
  db: Db,
  connection: number,
  cluster: { id: number; membership?: 'auto' | 'manual' },
): Promise<void> {
  await db.run(sql`/* test.join */
    update matriarch.connections
    set cluster_id = ${cluster.id}, membership_source = ${cluster.membership ?? 'auto'}
    where id = ${connection}`);
}

export interface DetectedServer {
  connection_id: number;
  primary_role?: string;
  parent?: number;
  version?: string;
  os?: string;
  spock_node_name?: string;
  spock_version?: string;
}

export interface DetectedCluster {
  key: string;
  name: string;
  type: 'spock' | 'spock_ha' | 'binary' | 'logical' | 'server';
  replication_type?: string;
  servers: readonly DetectedServer[];
}

/** Writes what detection last saw of a cluster and its servers; rows of matriarch.clusters are none of it. */
export async function detected(db: Db, { key, name, type, ...rest }: DetectedCluster): Promise<void> {
  await db.run(sql`/* test.topology_cluster */
    insert into matriarch.topology_clusters (cluster_key, cluster_type, replication_type, name, detected_at)
    values (${key}, ${type}, ${rest.replication_type ?? null}::text, ${name}, now())
    on conflict (cluster_key) do update set name = excluded.name, cluster_type = excluded.cluster_type`);
  for (const server of rest.servers)
    await db.run(sql`/* test.topology_node */
      insert into matriarch.topology_nodes (connection_id, cluster_key, primary_role, parent_connection_id, version, os,
        spock_node_name, spock_version, detected_at)
      values (${server.connection_id}, ${key}, ${server.primary_role ?? null}::text, ${server.parent ?? null}::int,
        ${server.version ?? null}::text, ${server.os ?? null}::text, ${server.spock_node_name ?? null}::text,
        ${server.spock_version ?? null}::text, now())
      on conflict (connection_id) do update
      set cluster_key = excluded.cluster_key, primary_role = excluded.primary_role,
        parent_connection_id = excluded.parent_connection_id`);
}

export interface Relationship {
  source: number;
  target: number;
  type?: 'streams_from' | 'subscribes_to' | 'replicates_with';
  /** Made by hand in this cluster; detected when absent. */
  cluster_id?: number;
}

export async function relate(db: Db, { source, target, type, cluster_id }: Relationship): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.relationship */
    insert into matriarch.cluster_relationships
      (source_connection_id, target_connection_id, relationship_type, is_auto_detected, cluster_id)
    values (${source}, ${target}, ${type ?? 'streams_from'}, ${cluster_id === undefined}, ${cluster_id ?? null}::int)
    returning id`);
  return id;
}
