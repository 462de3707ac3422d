// What the tree is made of, as three statements over prepared rows, whatever the number of servers: all servers, the
// stored clusters in their groups, and the relationships. They know no caller; what the caller sees of them, and whether
// they have changed since, is one more statement, sent for each request. Nothing here writes.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { visible } from '../access/access.queries.ts';
import { serversFingerprint, versionsOf } from '../access/fingerprint.queries.ts';
import type { Principal } from '../access/principal.ts';
import { clusterJoins, clusterName, clusterReplication, type ReplicationType } from './clusters.queries.ts';
import type { Membership } from './members.queries.ts';
import type { RelationshipType } from './relationships.queries.ts';
import {
  activeAlertCount,
  alertsVersion,
  type ServerStateRow,
  serverJoins,
  serverRole,
  serverState,
} from './servers.queries.ts';
import type { CLUSTER_TYPES } from './topology.schemas.ts';

export type ClusterType = (typeof CLUSTER_TYPES)[number];

export interface TreeServerRow extends ServerStateRow {
  id: number;
  name: string;
  description: string;
  host: string;
  port: number;
  database_name: string;
  username: string;
  owner_username: string;
  membership_source: Membership;
  active_alert_count: number;
  role: string | null;
  primary_role: string | null;
  parent_connection_id: number | null;
  version: string | null;
  os: string | null;
  spock_node_name: string | null;
  spock_version: string | null;
  /** Null where no row is stored for the cluster, which then goes by its key. */
  cluster_id: number | null;
  cluster_key: string | null;
  /** What detection says of a cluster that is not stored. */
  detected_name: string | null;
  detected_type: ClusterType | null;
  detected_replication: ReplicationType | null;
}

export interface Visibility {
  /** Ids of the connections that the caller sees, ascending, as a text of an array. */
  ids: string;
  /** Another text whenever anything that the tree shows was changed; but for the age of samples. */
  fingerprint: string;
}

const fingerprint = sql`concat_ws(' ',
  ${serversFingerprint},
  ${alertsVersion},
  ${versionsOf(sql`matriarch.clusters`, sql`t.id`)},
  ${versionsOf(sql`matriarch.cluster_groups`, sql`t.id`)},
  ${versionsOf(sql`matriarch.cluster_relationships`, sql`t.id`)},
  ${versionsOf(sql`matriarch.topology_nodes`, sql`t.connection_id`)},
  ${versionsOf(sql`matriarch.topology_clusters`, sql`hashtext(t.cluster_key)`)}
)`;

/** What the caller sees now, by the access function, and whether what was read before still holds. */
export function findVisibility(db: Db, principal: Principal): Promise<Visibility> {
  return db.one<Visibility>(
    prepared(sql`/* topology.visibility */
    select
      coalesce(
        (select array_agg(c.id order by c.id) from matriarch.connections c where ${visible(principal)}), '{}'
      )::text as ids,
      ${fingerprint} as fingerprint`),
  );
}

/** All of them, in the order in which servers are listed everywhere. */
export function listTreeServers(db: Db): Promise<TreeServerRow[]> {
  const statement = sql`/* topology.servers */
    select
      c.id, c.name, c.description, c.host, c.port, c.database_name, c.username, u.username as owner_username,
      c.membership_source, ${activeAlertCount} as active_alert_count,
      ${serverRole} as role, n.primary_role, n.parent_connection_id, n.version, n.os, n.spock_node_name, n.spock_version,
      ${serverState},
      s.cluster_id, s.cluster_key,
      seen.name as detected_name, seen.cluster_type as detected_type, seen.replication_type as detected_replication
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id and not s.is_hidden
    join matriarch.users u on u.id = c.owner_id
    ${serverJoins}
    left join matriarch.topology_clusters seen on s.cluster_id is null and seen.cluster_key = s.cluster_key
    order by lower(c.name), c.id`;
  return db.rows<TreeServerRow>(prepared(statement));
}

export interface ShelfRow {
  group_id: number;
  group_name: string;
  group_description: string;
  is_shared: boolean;
  is_default: boolean;
  auto_group_key: string | null;
  /** Null, as all that follows, where the group holds no stored cluster. */
  cluster_id: number | null;
  cluster_name: string | null;
  description: string | null;
  cluster_key: string | null;
  replication_type: ReplicationType | null;
  detected_type: ClusterType | null;
  /** No server belongs to it, and it did not stand for a lone one: who manages connections sees it all the same. */
  is_empty: boolean;
}

/** Every group with its stored clusters. */
export function listShelves(db: Db): Promise<ShelfRow[]> {
  const statement = sql`/* topology.shelves */
    select
      g.id as group_id, g.name as group_name, g.description as group_description, g.is_shared, g.is_default,
      g.auto_group_key,
      cl.id as cluster_id, ${clusterName} as cluster_name, cl.description, cl.auto_cluster_key as cluster_key,
      ${clusterReplication} as replication_type, seen.cluster_type as detected_type,
      coalesce(cl.auto_cluster_key, '') not like 'standalone:%'
        and not exists (
          select from matriarch.connections c where c.cluster_id = cl.id and c.deleted_at is null
        ) as is_empty
    from matriarch.cluster_groups g
    left join matriarch.clusters cl on not cl.dismissed and (cl.group_id = g.id or g.is_default and cl.group_id is null)
    ${clusterJoins}`;
  return db.rows<ShelfRow>(prepared(statement));
}

export interface TreeRelationshipRow {
  source_connection_id: number;
  target_connection_id: number;
  relationship_type: RelationshipType;
  is_auto_detected: boolean;
}

export function listAllTreeRelationships(db: Db): Promise<TreeRelationshipRow[]> {
  const statement = sql`/* topology.relationships */
    select r.source_connection_id, r.target_connection_id, r.relationship_type, r.is_auto_detected
    from matriarch.cluster_relationships r`;
  return db.rows<TreeRelationshipRow>(prepared(statement));
}

/** Those that start at these servers; where they end may be out of sight. */
export function listTreeRelationships(db: Db, ids: readonly number[]): Promise<TreeRelationshipRow[]> {
  const statement = sql`/* topology.relationships_from */
    select r.source_connection_id, r.target_connection_id, r.relationship_type, r.is_auto_detected
    from matriarch.cluster_relationships r
    where r.source_connection_id = any(${ids}::int[])`;
  return db.rows<TreeRelationshipRow>(prepared(statement));
}
