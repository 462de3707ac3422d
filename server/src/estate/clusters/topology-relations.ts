// Which relationships of a server the tree shows. Pure. Guards: nothing is named that the caller does not see, and what was
// detected before a server moved to another cluster does not show.
import type { TreeRelationshipRow, TreeServer } from './topology.queries.ts';
import type { TopologyServerShape } from './topology.schemas.ts';

export type Relations = NonNullable<TopologyServerShape['relationships']>;

const isOfOneCluster = (a: TreeServer | undefined, b: TreeServer | undefined) =>
  a !== undefined && b !== undefined && a.cluster_id === b.cluster_id && a.cluster_key === b.cluster_key;

/** In a stable order; one that is also set by hand counts as detected. */
function distinct(found: Relations): Relations {
  // Nearly every server has one.
  if (found.length < 2) return found;
  const unlike = new Map<string, Relations[number]>();
  for (const relation of found) {
    const key = `${relation.target_server_id} ${relation.relationship_type}`;
    if (!unlike.get(key)?.is_auto_detected) unlike.set(key, relation);
  }
  const ordered = [...unlike].sort(([a, one], [b, two]) =>
    one.target_server_id === two.target_server_id
      ? a < b
        ? -1
        : 1
      : one.target_server_id - two.target_server_id,
  );
  return ordered.map(([, relation]) => relation);
}

/** By their source, between visible servers only, detected ones within a cluster. */
export function relationsOf(
  rows: readonly TreeRelationshipRow[],
  servers: ReadonlyMap<number, TreeServer>,
): Map<number, Relations> {
  const sources = new Map<number, Relations>();
  for (const [source, own] of Map.groupBy(rows, ({ source_connection_id }) => source_connection_id)) {
    const found: Relations = [];
    for (const { target_connection_id, relationship_type, is_auto_detected } of own) {
      const target = servers.get(target_connection_id);
      if (!target || (is_auto_detected && !isOfOneCluster(servers.get(source), target))) continue;
      found.push({
        target_server_id: target_connection_id,
        target_server_name: target.row.name,
        relationship_type,
        is_auto_detected,
      });
    }
    sources.set(source, distinct(found));
  }
  return sources;
}
