// The estate as a tree: groups, clusters, servers, standbys under the server they stream from. Guards: each visible
// server shows exactly once, whatever detection or people say of it; a circle of standbys, or a chain without end, is
// cut; what the caller may see is asked anew for each request, and only then is anything taken that was read before.

import { type Ctx, hasPermission } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { FingerprintCache } from '../../kernel/fingerprint-cache.ts';
import type { JsonText } from '../../kernel/json-text.ts';
import { lasting } from '../../kernel/leaving.ts';
import type { Static } from '../../kernel/schema.ts';
import { detectedId, isLoneKey } from './cluster-ids.ts';
import { stateOf } from './server-status.ts';
import * as queries from './topology.queries.ts';
import type { TopologyCluster, TopologyGroup, TopologyServerShape } from './topology.schemas.ts';
import { type Relations, relationsOf } from './topology-relations.ts';
import { nest } from './topology-tree.ts';

type Group = Static<typeof TopologyGroup>;
type Cluster = Static<typeof TopologyCluster>;

/** The number that ends an id like cluster-42; 0 for a label. */
const numberOf = (id: string) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? 0);

/** By code unit and regardless of case, so that an order does not depend on a locale, then by id. */
function byName<T extends { id: string; name: string }>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: item.name.toLowerCase() }));
  keyed.sort((a, b) => {
    if (a.key === b.key) return numberOf(a.item.id) - numberOf(b.item.id);
    return a.key < b.key ? -1 : 1;
  });
  return keyed.map(({ item }) => item);
}

const TYPES: Record<string, queries.ClusterType> = {
  spock: 'spock',
  binary: 'binary',
  logical: 'logical',
  standalone: 'server',
};

/** What kind of cluster it is: as detected, else by what its row stands for, else made by hand. */
function typeOf(key: string | null, detected: queries.ClusterType | null, size: number): queries.ClusterType {
  if (isLoneKey(key)) return size > 1 ? 'manual' : 'server';
  return detected ?? TYPES[key?.split(':')[0] ?? ''] ?? 'manual';
}

interface Tree {
  /** By their source, in a stable order. */
  relationships: ReadonlyMap<number, Relations>;
  /** A server that is not among them is monitored, has just answered, and has no active alert. */
  states: ReadonlyMap<number, queries.TreeStateRow>;
  now: number;
}

const NONE: Relations = [];

/** One server without its standbys; what is not known of it is left out. */
function leafOf(
  { row }: queries.TreeServer,
  relationships: Relations,
  { states, now }: Tree,
): TopologyServerShape {
  const state = states.get(row.id);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    host: row.host,
    port: row.port,
    status: state ? stateOf(state, now) : 'online',
    connection_error: state?.connection_error ?? undefined,
    active_alert_count: state?.active_alert_count ?? 0,
    role: row.role ?? undefined,
    primary_role: row.primary_role ?? 'unknown',
    is_expandable: false,
    membership_source: row.membership_source,
    owner_username: row.owner_username,
    version: row.version ?? undefined,
    os: row.os ?? undefined,
    spock_node_name: row.spock_node_name ?? undefined,
    spock_version: row.spock_version ?? undefined,
    database_name: row.database_name,
    username: row.username,
    children: [],
    relationships,
  };
}

type Box = readonly queries.TreeServer[];

/** The servers of one cluster, nested: by what detection sees, else by what somebody said. */
function serversOf(box: Box, tree: Tree): TopologyServerShape[] {
  const nodes = box.map((one) => {
    const own = tree.relationships.get(one.row.id) ?? NONE;
    const said = own.find(({ relationship_type }) => relationship_type === 'streams_from');
    return {
      server: leafOf(one, own, tree),
      parents: [one.row.parent_connection_id, said?.target_server_id ?? null],
    };
  });
  return nest(nodes);
}

function storedCluster(shelf: queries.ShelfRow, id: number, servers: TopologyServerShape[]): Cluster {
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

function detectedCluster(key: string, first: queries.TreeServer, servers: TopologyServerShape[]): Cluster {
  const { row, detected } = first;
  const replication = detected?.replication_type ?? null;
  return {
    id: detectedId(key),
    name: isLoneKey(key) ? row.name : (detected?.name ?? row.name),
    cluster_type: typeOf(key, detected?.cluster_type ?? null, servers.length),
    ...(replication !== null && { replication_type: replication }),
    auto_cluster_key: key,
    servers,
  };
}

/** Servers by the cluster they show in; one whose row was deleted meanwhile stands alone. */
function boxesOf(servers: Box, shelves: readonly queries.ShelfRow[]) {
  const known = new Set(shelves.map(({ cluster_id }) => cluster_id));
  const stored = new Map<number, queries.TreeServer[]>();
  const detected = new Map<string, queries.TreeServer[]>();
  for (const one of servers) {
    const id = one.cluster_id !== null && known.has(one.cluster_id) ? one.cluster_id : undefined;
    const key =
      one.cluster_id === null && one.cluster_key !== null ? one.cluster_key : `standalone:${one.row.id}`;
    const box = id === undefined ? detected.get(key) : stored.get(id);
    if (box) box.push(one);
    else if (id === undefined) detected.set(key, [one]);
    else stored.set(id, [one]);
  }
  return { stored, detected };
}

function groupsOf(servers: Box, shelves: readonly queries.ShelfRow[], tree: Tree): Group[] {
  const { stored, detected } = boxesOf(servers, shelves);
  const loose = [...detected].flatMap(([key, box]) => {
    const [first] = box;
    return first ? [detectedCluster(key, first, serversOf(box, tree))] : [];
  });
  return [...Map.groupBy(shelves, ({ group_id }) => group_id)].flatMap(([group_id, own]) => {
    const [shelf] = own;
    if (!shelf) return [];
    const clusters = own.flatMap((one) =>
      one.cluster_id === null
        ? []
        : [storedCluster(one, one.cluster_id, serversOf(stored.get(one.cluster_id) ?? [], tree))],
    );
    return {
      id: `group-${group_id}`,
      name: shelf.group_name,
      description: shelf.group_description,
      is_shared: shelf.is_shared,
      is_default: shelf.is_default,
      ...(shelf.auto_group_key !== null && { auto_group_key: shelf.auto_group_key }),
      clusters: byName(shelf.is_default ? [...clusters, ...loose] : clusters),
    };
  });
}

/** Which servers there are and where they belong. */
interface Estate {
  servers: queries.TreeServer[];
  shelves: queries.ShelfRow[];
  relationships: queries.TreeRelationshipRow[];
}

/** The same, and how the servers are. */
interface Reading extends Estate {
  states: ReadonlyMap<number, queries.TreeStateRow>;
}

async function readEstate(db: Db): Promise<Estate> {
  const [servers, shelves, relationships] = await Promise.all([
    queries.listTreeServers(db),
    queries.listShelves(db),
    queries.listAllTreeRelationships(db),
  ]);
  return { servers, shelves, relationships };
}

async function withStates(db: Db, reading: Promise<Estate>): Promise<Reading> {
  const [estate, states] = await Promise.all([reading, queries.listTreeStates(db)]);
  return { ...estate, states: new Map(states.map((row) => [row.connection_id, row])) };
}

interface Viewer {
  ids: ReadonlySet<number>;
  /** Sees clusters and groups that hold nothing. */
  manages: boolean;
  now: number;
}

/** The tree as somebody sees it; those who see the same get the same. */
function treeOf(
  { servers, shelves, relationships, states }: Reading,
  { ids, manages, now }: Viewer,
): Group[] {
  const own = servers.filter(({ row }) => ids.has(row.id));
  const held = new Set(own.map(({ cluster_id }) => cluster_id));
  const isSeen = ({ cluster_id, is_empty }: queries.ShelfRow) =>
    held.has(cluster_id) || (manages && is_empty);
  // A group stays, so that it shows or holds what was only detected; its clusters go where nothing of them is seen.
  const seen = shelves.map((shelf) => (isSeen(shelf) ? shelf : { ...shelf, cluster_id: null }));
  const byId = new Map(own.map((one) => [one.row.id, one]));
  const links = relationships.filter(({ source_connection_id }) => ids.has(source_connection_id));
  const groups = byName(groupsOf(own, seen, { relationships: relationsOf(links, byId), states, now }));
  const shown = groups.filter(({ clusters }) => manages || clusters.length > 0);
  return [...shown.filter(({ is_default }) => is_default), ...shown.filter(({ is_default }) => !is_default)];
}

const numbersIn = (array: string) => new Set(array.slice(1, -1).split(',').map(Number));

/** The tree as values, read anew. */
export async function readTopology({ db, principal, clock }: Ctx): Promise<Group[]> {
  const { ids } = await queries.findVisibility(db, principal);
  const manages = hasPermission(principal, 'manage_connections');
  const reading = await withStates(db, readEstate(db));
  return treeOf(reading, { ids: numbersIn(ids), manages, now: clock.now() });
}

/**
 * The tree as JSON text. What is kept between requests knows no caller (decision 014). How the servers are changes all the
 * time, and is read alone for as long as nothing else has changed.
 */
export function createTopology(): (ctx: Ctx) => Promise<JsonText> {
  const estates = new FingerprintCache<Estate>({ keep_ms: Infinity });
  const readings = new FingerprintCache<Reading>();
  return async ({ db, principal, clock }) => {
    const { ids, tree, states } = await queries.findVisibility(db, principal);
    const manages = hasPermission(principal, 'manage_connections');
    const now = clock.monotonic();
    const estate = async () =>
      (await estates.of({ fingerprint: tree, now, read: () => readEstate(lasting(db)) })).value;
    const reading = await readings.of({
      ...{ fingerprint: `${tree} ${states}`, now },
      read: () => withStates(lasting(db), estate()),
    });
    return reading.text(`${manages} ${ids}`, (value) =>
      JSON.stringify(treeOf(value, { ids: numbersIn(ids), manages, now: clock.now() })),
    );
  };
}
