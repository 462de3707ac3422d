// SQL of what detection changes, each for all servers at once. Rows of connections are never waited for, so that nobody
// who edits one can be in a deadlock with detection.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { WantedCluster } from './changes.ts';
import type { ClusterRow } from './topology.queries.ts';
import type { DetectedNode, Label, Relationship } from './types.ts';

/** What is stored for a cluster goes where the cluster went, unless something is stored there. */
export async function moveStored(db: Db, moves: readonly { from: string; to: string }[]): Promise<void> {
  await db.run(sql`/* topology.move_stored */
    update matriarch.clusters k
    set auto_cluster_key = m."to", updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as m ("from" text, "to" text)
    where k.auto_cluster_key = m."from"
      and not exists (select from matriarch.clusters o where o.auto_cluster_key = m."to")`);
}

/** Rows of clusters that are made by detection, and names that nobody gave by hand. */
export async function storeClusters(db: Db, wanted: readonly WantedCluster[]): Promise<void> {
  const json = JSON.stringify(wanted);
  await db.run(sql`/* topology.store_clusters */
    insert into matriarch.clusters as k (name, replication_type, auto_cluster_key)
    select w.name, w.replication_type, w.key
    from jsonb_to_recordset(${json}::jsonb) as w (key text, name text, replication_type text, is_made boolean)
    where w.is_made
    on conflict (auto_cluster_key) do nothing`);
  await db.run(sql`/* topology.follow_names */
    update matriarch.clusters k
    set name = w.name, replication_type = coalesce(k.replication_type, w.replication_type), updated_at = now()
    from jsonb_to_recordset(${json}::jsonb) as w (key text, name text, replication_type text)
    where k.auto_cluster_key = w.key
      and not k.named_by_hand
      and (k.name <> w.name or k.replication_type is null and w.replication_type is not null)`);
}

/** Of these rows, those that still hold no server and that nobody said anything about. */
export async function lockLeftovers(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`/* topology.lock_leftovers */
    select k.id
    from matriarch.clusters k
    where k.id = any (${ids}::integer[])
      and not k.named_by_hand
      and not k.dismissed
      and k.description = ''
      and k.group_id is null
      and not exists (select from matriarch.group_scopes gs where gs.scope = 'cluster' and gs.scope_id = k.id)
      and not exists (select from matriarch.connections c where c.cluster_id = k.id and c.deleted_at is null)
    order by k.id
    for update of k skip locked`);
  return rows.map(({ id }) => id);
}

export async function deleteStored(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`/* topology.delete_stored */
    delete from matriarch.clusters k where k.id = any (${ids}::integer[])`);
}

export async function saveClusters(
  db: Db,
  { changed, gone }: { changed: readonly ClusterRow[]; gone: readonly string[] },
): Promise<void> {
  await db.run(sql`/* topology.save_clusters */
    with gone as (
      delete from matriarch.topology_clusters where cluster_key = any (${gone}::text[])
    )
    insert into matriarch.topology_clusters as t (cluster_key, cluster_type, replication_type, name, detected_at)
    select r.cluster_key, r.cluster_type, r.replication_type, r.name, now()
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      as r (cluster_key text, cluster_type text, replication_type text, name text)
    on conflict (cluster_key) do update
    set cluster_type = excluded.cluster_type,
      replication_type = excluded.replication_type,
      name = excluded.name,
      detected_at = excluded.detected_at`);
}

export async function saveNodes(
  db: Db,
  { changed, gone }: { changed: readonly DetectedNode[]; gone: readonly number[] },
): Promise<void> {
  await db.run(sql`/* topology.save_nodes */
    with gone as (
      delete from matriarch.topology_nodes where connection_id = any (${gone}::integer[])
    )
    insert into matriarch.topology_nodes as t (
      connection_id, cluster_key, primary_role, parent_connection_id, system_identifier, version, os,
      spock_node_name, spock_version, collected_at, detected_at
    )
    select
      r.connection_id, r.cluster_key, r.primary_role, r.parent_connection_id, r.system_identifier, r.version, r.os,
      r.spock_node_name, r.spock_version, r.collected_at, now()
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as r (
      connection_id integer, cluster_key text, primary_role text, parent_connection_id integer,
      system_identifier text, version text, os text, spock_node_name text, spock_version text,
      collected_at timestamptz
    )
    on conflict (connection_id) do update
    set cluster_key = excluded.cluster_key,
      primary_role = excluded.primary_role,
      parent_connection_id = excluded.parent_connection_id,
      system_identifier = excluded.system_identifier,
      version = excluded.version,
      os = excluded.os,
      spock_node_name = excluded.spock_node_name,
      spock_version = excluded.spock_version,
      collected_at = excluded.collected_at,
      detected_at = excluded.detected_at`);
}

export async function saveLabels(db: Db, labels: readonly Label[]): Promise<void> {
  await db.run(sql`/* topology.save_labels */
    insert into matriarch.topology_labels as t (label, node_keys)
    select r.label, r.node_keys
    from jsonb_to_recordset(${JSON.stringify(labels)}::jsonb) as r (label text, node_keys text[])
    on conflict (label) do update
    set node_keys = excluded.node_keys`);
}

export async function saveRelationships(
  db: Db,
  { added, gone }: { added: readonly Relationship[]; gone: readonly Relationship[] },
): Promise<void> {
  await db.run(sql`/* topology.save_relationships */
    with gone as (
      delete from matriarch.cluster_relationships r
      using jsonb_to_recordset(${JSON.stringify(gone)}::jsonb)
        as g (source_connection_id integer, target_connection_id integer, relationship_type text)
      where r.is_auto_detected
        and r.source_connection_id = g.source_connection_id
        and r.target_connection_id = g.target_connection_id
        and r.relationship_type = g.relationship_type
    )
    insert into matriarch.cluster_relationships (
      source_connection_id, target_connection_id, relationship_type, is_auto_detected
    )
    select a.source_connection_id, a.target_connection_id, a.relationship_type, true
    from jsonb_to_recordset(${JSON.stringify(added)}::jsonb)
      as a (source_connection_id integer, target_connection_id integer, relationship_type text)
    on conflict do nothing`);
}

/** Servers that nobody pinned belong to the row of their cluster, or to none. One that is being edited waits. */
export function moveServers(db: Db): Promise<number> {
  return db.run(sql`/* topology.move_servers */
    update matriarch.connections c
    set cluster_id = m.cluster_id
    from (
      select o.id, k.id as cluster_id
      from matriarch.connections o
      join matriarch.topology_nodes n on n.connection_id = o.id
      left join matriarch.clusters k on k.auto_cluster_key = n.cluster_key
      where o.deleted_at is null
        and o.membership_source = 'auto'
        and o.cluster_id is distinct from k.id
      order by o.id
      for update of o skip locked
    ) m
    where c.id = m.id`);
}
