// What the tree is made of, as six statements over prepared rows, whatever the number of servers: all servers, where each
// belongs, what is known of those that are not simply online, the detected clusters, the stored ones in their groups, and
// the relationships. They know no caller; what the caller sees of them, and which of them have changed since, is one more
// statement, sent for each request. Nothing here writes.

import {
  clusterJoins,
  clusterName,
  namesFingerprint,
  type Principal,
  statesFingerprint,
  versionsOf,
  visible,
} from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { clusterReplication, type ReplicationType } from './clusters.queries.ts';
import type { Membership } from './members.queries.ts';
import type { RelationshipType } from './relationships.queries.ts';
import {
  alertsVersion,
  isFresh,
  type ServerStateRow,
  serverJoins,
  serverRole,
  serverState,
} from './servers.queries.ts';
import type { CLUSTER_TYPES } from './topology.schemas.ts';

export type ClusterType = (typeof CLUSTER_TYPES)[number];

export interface TreeServerRow {
  id: number;
  name: string;
  description: string;
  host: string;
  port: number;
  database_name: string;
  username: string;
  owner_username: string;
  membership_source: Membership;
  role: string | null;
  primary_role: string | null;
  parent_connection_id: number | null;
  version: string | null;
  os: string | null;
  spock_node_name: string | null;
  spock_version: string | null;
}

interface PlaceRow {
  connection_id: number;
  /** Null where no row is stored for the cluster, which then goes by its key. */
  cluster_id: number | null;
  cluster_key: string | null;
}

export interface TreeStateRow extends ServerStateRow {
  connection_id: number;
  active_alert_count: number;
}

/** What detection says of a cluster. */
export interface DetectedRow {
  cluster_key: string;
  name: string;
  cluster_type: ClusterType;
  replication_type: ReplicationType | null;
}

/** A server and where it belongs. */
export interface TreeServer extends Omit<PlaceRow, 'connection_id'> {
  row: TreeServerRow;
  /** Only where the cluster is not stored. */
  detected: DetectedRow | undefined;
}

export interface Visibility {
  /** Ids of the connections that the caller sees, ascending, as a text of an array. */
  ids: string;
  /** Another text whenever which servers there are, what is said of them or where they belong was changed. */
  tree: string;
  /** The same of what their status and their alerts follow from; but for the age of samples. */
  states: string;
}

/** Of all that is read for the tree, but how the servers are. */
const treeFingerprint = sql`concat_ws(' ',
  ${namesFingerprint},
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
      ${treeFingerprint} as tree,
      concat_ws(' ', ${statesFingerprint}, ${alertsVersion}) as states`),
  );
}

const serversStatement = prepared(sql`/* topology.servers */
    select
      c.id, c.name, c.description, c.host, c.port, c.database_name, c.username, u.username as owner_username,
      c.membership_source, ${serverRole} as role, n.primary_role, n.parent_connection_id, n.version, n.os,
      n.spock_node_name, n.spock_version
    from matriarch.connections c
    join matriarch.users u on u.id = c.owner_id
    left join matriarch.topology_nodes n on n.connection_id = c.id
    where c.deleted_at is null
    order by lower(c.name), c.id`);

const placesStatement = prepared(sql`/* topology.places */
    select s.connection_id, s.cluster_id, s.cluster_key
    from matriarch.connection_scopes s
    where not s.is_hidden`);

/** Nearly all servers are online and without an alert: no row is sent for them. */
const statesStatement = prepared(sql`/* topology.states */
    select c.id as connection_id, coalesce(active.alerts, 0) as active_alert_count, ${serverState}
    from matriarch.connections c
    ${serverJoins}
    left join (
      select a.connection_id, count(*)::int as alerts
      from matriarch.alerts a
      where a.status = 'active' and a.raised_by !~ '^(channel|part):'
      group by a.connection_id
    ) active on active.connection_id = c.id
    where c.deleted_at is null
      and (not c.is_monitored or not ${isFresh} or state.connection_error is not null or active.alerts is not null)`);

const detectedStatement = prepared(sql`/* topology.detected */
    select t.cluster_key, t.name, t.cluster_type, t.replication_type
    from matriarch.topology_clusters t`);

/**
 * All of them, in the order in which servers are listed everywhere. One statement would join them by copying every column
 * from join to join, and send mostly nulls: 11 ms for a thousand servers instead of 7.
 */
export async function listTreeServers(db: Db): Promise<TreeServer[]> {
  const [servers, places, clusters] = await Promise.all([
    db.rows<TreeServerRow>(serversStatement),
    db.rows<PlaceRow>(placesStatement),
    db.rows<DetectedRow>(detectedStatement),
  ]);
  const placeOf = new Map(places.map((row) => [row.connection_id, row]));
  const clusterOf = new Map(clusters.map((row) => [row.cluster_key, row]));
  return servers.flatMap((row) => {
    const place = placeOf.get(row.id);
    if (!place) return [];
    const { cluster_id, cluster_key } = place;
    const detected = cluster_id === null && cluster_key !== null ? clusterOf.get(cluster_key) : undefined;
    return [{ row, cluster_id, cluster_key, detected }];
  });
}

/** Of the servers that are not simply online and without an active alert. */
export function listTreeStates(db: Db): Promise<TreeStateRow[]> {
  return db.rows<TreeStateRow>(statesStatement);
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
