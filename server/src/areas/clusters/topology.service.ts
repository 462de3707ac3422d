// The estate as a tree: groups, clusters, servers, standbys under the server they stream from. Guards: each visible
// server shows exactly once, whatever detection or people say of it; a circle of standbys, or a chain without end, is cut.
import type { Static } from '../../kernel/schema.ts';
import { hasPermission } from '../access/access.service.ts';
import type { Ctx } from '../access/principal.ts';
import { statusOf } from '../estate/estate.service.ts';
import { detectedId, isLoneKey } from './cluster-ids.ts';
import {
  type ClusterType,
  listShelves,
  listTreeRelationships,
  listTreeServers,
  type ShelfRow,
  type TreeRelationshipRow,
  type TreeServerRow,
} from './topology.queries.ts';
import type { TopologyCluster, TopologyGroup, TopologyServerShape } from './topology.schemas.ts';
import { nest } from './topology-tree.ts';

type Group = Static<typeof TopologyGroup>;
type Cluster = Static<typeof TopologyCluster>;

/** By code unit and regardless of case, so that an order does not depend on a locale; `tie` decides between equals. */
function byName<T extends { name: string }>(items: readonly T[], tie: (item: T) => number): T[] {
  const keyed = items.map((item) => ({ item, key: item.name.toLowerCase() }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : tie(a.item) - tie(b.item)));
  return keyed.map(({ item }) => item);
}

const TYPES: Record<string, ClusterType> = {
  spock: 'spock',
  binary: 'binary',
  logical: 'logical',
  standalone: 'server',
};

/** What kind of cluster it is: as detected, else by what its row stands for, else made by hand. */
function typeOf(key: string | null, detected: ClusterType | null, size: number): ClusterType {
  if (isLoneKey(key)) return size > 1 ? 'manual' : 'server';
  return detected ?? TYPES[key?.split(':')[0] ?? ''] ?? 'manual';
}

interface Tree {
  relationships: readonly TreeRelationshipRow[];
  names: ReadonlyMap<number, string>;
  now: number;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** One server without its standbys. */
function leafOf(
  row: TreeServerRow,
  relationships: readonly TreeRelationshipRow[],
  { names, now }: Tree,
): TopologyServerShape {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    host: row.host,
    port: row.port,
    status: statusOf(row, now),
    connection_error: row.connection_error,
    active_alert_count: row.active_alert_count,
    role: row.role,
    primary_role: row.primary_role ?? 'unknown',
    is_expandable: false,
    membership_source: row.membership_source,
    owner_username: row.owner_username,
    version: row.version,
    os: row.os,
    spock_node_name: row.spock_node_name,
    spock_version: row.spock_version,
    database_name: row.database_name,
    username: row.username,
    children: [],
    relationships: relationships.map(({ target_connection_id, relationship_type, is_auto_detected }) => ({
      target_server_id: target_connection_id,
      target_server_name: names.get(target_connection_id) ?? '',
      relationship_type,
      is_auto_detected,
    })),
  };
}

/** The servers of one cluster, nested: by what detection sees, else by what somebody said. */
function serversOf(rows: readonly TreeServerRow[], tree: Tree): TopologyServerShape[] {
  const from = grouped(tree.relationships, ({ source_connection_id }) => source_connection_id);
  const nodes = rows.map((row) => {
    const own = from.get(row.id) ?? [];
    const said = own.find(({ relationship_type }) => relationship_type === 'streams_from');
    return {
      server: leafOf(row, own, tree),
      parents: [row.parent_connection_id, said?.target_connection_id ?? null],
    };
  });
  return nest(nodes);
}

type Box = readonly TreeServerRow[];

function storedCluster(shelf: ShelfRow, id: number, servers: TopologyServerShape[]): Cluster {
  return {
    id: `cluster-${id}`,
    name: shelf.cluster_name ?? '',
    ...(shelf.description && { description: shelf.description }),
    cluster_type: typeOf(shelf.cluster_key, shelf.detected_type, servers.length),
    ...(shelf.replication_type !== null && { replication_type: shelf.replication_type }),
    ...(shelf.cluster_key !== null && { auto_cluster_key: shelf.cluster_key }),
    servers,
  };
}

function detectedCluster(key: string, first: TreeServerRow, servers: TopologyServerShape[]): Cluster {
  return {
    id: detectedId(key),
    name: isLoneKey(key) ? first.name : (first.detected_name ?? first.name),
    cluster_type: typeOf(key, first.detected_type, servers.length),
    ...(first.detected_replication !== null && { replication_type: first.detected_replication }),
    auto_cluster_key: key,
    servers,
  };
}

/** Servers by the cluster they show in; one whose row was deleted meanwhile stands alone. */
function boxesOf(rows: Box, shelves: readonly ShelfRow[]) {
  const known = new Set(shelves.map(({ cluster_id }) => cluster_id));
  const stored = new Map<number, TreeServerRow[]>();
  const detected = new Map<string, TreeServerRow[]>();
  for (const row of rows) {
    const id = row.cluster_id !== null && known.has(row.cluster_id) ? row.cluster_id : undefined;
    const key =
      row.cluster_id === null && row.cluster_key !== null ? row.cluster_key : `standalone:${row.id}`;
    const box = id === undefined ? detected.get(key) : stored.get(id);
    if (box) box.push(row);
    else if (id === undefined) detected.set(key, [row]);
    else stored.set(id, [row]);
  }
  return { stored, detected };
}

function groupsOf(rows: Box, shelves: readonly ShelfRow[], tree: Tree): (Group & { number: number })[] {
  const { stored, detected } = boxesOf(rows, shelves);
  const loose = [...detected].flatMap(([key, box]) => {
    const [first] = box;
    return first ? [detectedCluster(key, first, serversOf(box, tree))] : [];
  });
  return [...grouped(shelves, ({ group_id }) => group_id)].flatMap(([group_id, own]) => {
    const [shelf] = own;
    if (!shelf) return [];
    const clusters = own.flatMap((one) =>
      one.cluster_id === null
        ? []
        : [storedCluster(one, one.cluster_id, serversOf(stored.get(one.cluster_id) ?? [], tree))],
    );
    return {
      number: group_id,
      id: `group-${group_id}`,
      name: shelf.group_name,
      is_default: shelf.is_default,
      ...(shelf.auto_group_key !== null && { auto_group_key: shelf.auto_group_key }),
      clusters: byName(shelf.is_default ? [...clusters, ...loose] : clusters, ({ id }) =>
        Number(/\d+$/.exec(id)?.[0] ?? 0),
      ),
    };
  });
}

export async function getTopology(ctx: Ctx): Promise<Group[]> {
  const { db, principal } = ctx;
  const rows = await listTreeServers(db, principal);
  const clusterIds = new Set(rows.flatMap(({ cluster_id }) => cluster_id ?? []));
  const shelves = await listShelves(db, principal, [...clusterIds]);
  const relationships = await listTreeRelationships(
    db,
    rows.map(({ id }) => id),
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const groups = byName(
    groupsOf(rows, shelves, { relationships, names, now: ctx.clock.now() }),
    ({ number }) => number,
  );
  const manages = hasPermission(principal, 'manage_connections');
  const shown = groups.filter(({ clusters }) => manages || clusters.length > 0);
  return [...shown.filter(({ is_default }) => is_default), ...shown.filter(({ is_default }) => !is_default)];
}
