// What is different between what detection says now and what is stored. Pure: only this is written.
import type { ClusterRow, ServerRow, StoredRow } from './topology.queries.ts';
import type { DetectedNode, Detection, Label, Relationship } from './types.ts';

export interface Stored {
  readonly servers: readonly ServerRow[];
  readonly nodes: readonly DetectedNode[];
  readonly clusters: readonly ClusterRow[];
  /** Rows that stand for something detected. */
  readonly stored: readonly StoredRow[];
  readonly relationships: readonly Relationship[];
}

/** A cluster as it should be stored. */
export interface WantedCluster {
  readonly key: string;
  readonly name: string;
  readonly replication_type: string | null;
  /** A row is made where there is none. */
  readonly is_made: boolean;
}

export interface Changes {
  /** Stored rows that follow their cluster to another key. */
  readonly moves: readonly { from: string; to: string }[];
  /** Rows to be made, and those whose name follows. */
  readonly wanted: readonly WantedCluster[];
  readonly clusters: { changed: readonly ClusterRow[]; gone: readonly string[] };
  readonly nodes: { changed: readonly DetectedNode[]; gone: readonly number[] };
  readonly labels: readonly Label[];
  readonly relationships: { added: readonly Relationship[]; gone: readonly Relationship[] };
  /** Some connection belongs to another stored row than it says. */
  readonly servers: boolean;
  /** Stored rows that stand for nothing any more. */
  readonly leftovers: readonly number[];
  /** Servers that came to another cluster, role or upstream. */
  readonly moved: number;
}

export const isQuiet = ({
  moves,
  wanted,
  clusters,
  nodes,
  labels,
  relationships,
  ...rest
}: Changes): boolean =>
  !rest.servers &&
  [
    moves,
    wanted,
    clusters.changed,
    clusters.gone,
    nodes.changed,
    nodes.gone,
    labels,
    relationships.added,
    relationships.gone,
    rest.leftovers,
  ].every((list) => list.length === 0);

const same = <T extends object>(a: T | undefined, b: T, members: readonly (keyof T)[]): boolean =>
  a !== undefined && members.every((member) => a[member] === b[member]);

const CLUSTER = ['cluster_type', 'replication_type', 'name'] as const;
const PLACE = ['cluster_key', 'primary_role', 'parent_connection_id'] as const;
const NODE = [
  ...PLACE,
  'system_identifier',
  'version',
  'os',
  'spock_node_name',
  'spock_version',
  'collected_at',
] as const;

const keyOf = (one: Relationship) =>
  `${one.source_connection_id} ${one.target_connection_id} ${one.relationship_type}`;

const isMadeHere = (key: string) => /^(?:binary|logical):/.test(key);

type Move = Changes['moves'][number];

/** A lone server that was hidden shows again once it is part of something: its row stays behind. */
function movesOf(detection: Detection, stored: readonly StoredRow[]): Move[] {
  const rows = new Map(stored.map((row) => [row.auto_cluster_key, row]));
  return detection.clusters.flatMap(({ cluster_key, former_key }) => {
    const row = rows.get(former_key ?? '');
    if (!row || rows.has(cluster_key)) return [];
    const isHidden = row.dismissed && row.auto_cluster_key.startsWith('standalone:');
    return isHidden ? [] : [{ from: row.auto_cluster_key, to: cluster_key }];
  });
}

function wantedOf(
  detection: Detection,
  rows: ReadonlyMap<string, StoredRow>,
  servers: readonly ServerRow[],
): WantedCluster[] {
  const free = new Set(
    servers.filter((one) => one.membership_source === 'auto').map((one) => one.connection_id),
  );
  const peopled = new Set(
    detection.nodes.filter((node) => free.has(node.connection_id)).map((node) => node.cluster_key),
  );
  return detection.clusters.flatMap(({ cluster_key, name, replication_type }) => {
    const row = rows.get(cluster_key);
    const is_made = row === undefined && isMadeHere(cluster_key) && peopled.has(cluster_key);
    const follows = row !== undefined && !row.named_by_hand && row.name !== name;
    return is_made || follows ? [{ key: cluster_key, name, replication_type, is_made }] : [];
  });
}

function leftoversOf({ stored, servers }: Stored, isNeeded: (key: string) => boolean): number[] {
  const pinned = new Set(
    servers.filter((one) => one.membership_source === 'manual').map(({ cluster_id }) => cluster_id),
  );
  return stored
    .filter((row) => row.is_untouched && isMadeHere(row.auto_cluster_key) && !isNeeded(row.auto_cluster_key))
    .filter(({ id }) => !pinned.has(id))
    .map(({ id }) => id);
}

export function changesOf(detection: Detection, known: Stored): Changes {
  const moves = movesOf(detection, known.stored);
  const moved = new Map(moves.map(({ from, to }) => [from, to]));
  const rows = new Map(
    known.stored.map((row) => [moved.get(row.auto_cluster_key) ?? row.auto_cluster_key, row]),
  );
  const nodes = new Map(known.nodes.map((node) => [node.connection_id, node]));
  const clusters = new Map(known.clusters.map((one) => [one.cluster_key, one]));
  const now = new Set(detection.clusters.map(({ cluster_key }) => cluster_key));
  const wanted = wantedOf(detection, rows, known.servers);
  const cells = new Map(detection.nodes.map((node) => [node.connection_id, node]));
  const placed = known.servers.some(
    ({ connection_id, membership_source, cluster_id }) =>
      membership_source === 'auto' &&
      cluster_id !== (rows.get(cells.get(connection_id)?.cluster_key ?? '')?.id ?? null),
  );
  const relations = new Set(known.relationships.map(keyOf));
  const related = new Set(detection.relationships.map(keyOf));
  return {
    moves,
    wanted,
    clusters: {
      changed: detection.clusters.flatMap(({ former_key: _former, ...one }) =>
        same(clusters.get(one.cluster_key), one, CLUSTER) ? [] : [one],
      ),
      gone: [...clusters.keys()].filter((key) => !now.has(key)),
    },
    nodes: {
      changed: detection.nodes.filter((node) => !same(nodes.get(node.connection_id), node, NODE)),
      gone: [...nodes.keys()].filter((id) => !cells.has(id)),
    },
    labels: detection.labels,
    relationships: {
      added: detection.relationships.filter((one) => !relations.has(keyOf(one))),
      gone: known.relationships.filter((one) => !related.has(keyOf(one))),
    },
    servers: placed || wanted.some(({ is_made }) => is_made),
    leftovers: leftoversOf(known, (key) => now.has(key) || moved.has(key)),
    moved: detection.nodes.filter((node) => !same(nodes.get(node.connection_id), node, PLACE)).length,
  };
}
