// The rows of the navigation tree, top down, as they are shown: groups, clusters, servers, standbys under whom they
// stream from. Pure. A single group and lone servers need no row around them; a search opens whatever it finds.
import {
  allServers,
  type Cluster,
  clusterPath,
  type Group,
  isLone,
  type Server,
  type State,
  serversOf,
  worstState,
} from '../features/estate/clusters/model.ts';

export interface TreeRow {
  rowKey: string;
  kind: 'group' | 'cluster' | 'server';
  name: string;
  /** Where it leads; a group only opens and closes. */
  path: string | undefined;
  level: number;
  position: number;
  size: number;
  /** Undefined where nothing is below. */
  open: boolean | undefined;
  /** Servers below. */
  count: number;
  state: State;
}

export interface TreeView {
  /** What somebody opened or closed. */
  toggled: Readonly<Record<string, boolean>>;
  /** Undefined: nothing is searched. */
  found: ((server: Server) => boolean) | undefined;
  stateOf: (server: Server) => State;
}

/** Larger estates begin with closed clusters. */
const OPEN_UP_TO = 60;

interface Node {
  key: string;
  kind: TreeRow['kind'];
  name: string;
  path: string | undefined;
  servers: readonly Server[];
  nodes: readonly Node[];
}

const serverNode = (server: Server): Node => ({
  key: `server-${server.id}`,
  kind: 'server',
  name: server.name,
  path: `/servers/${server.id}`,
  servers: [server],
  nodes: (server.children ?? []).map(serverNode),
});

const clusterNodes = (cluster: Cluster): Node[] =>
  isLone(cluster)
    ? cluster.servers.map(serverNode)
    : [
        {
          key: `c:${cluster.id}`,
          kind: 'cluster',
          name: cluster.name,
          path: clusterPath(cluster),
          servers: serversOf(cluster),
          nodes: cluster.servers.map(serverNode),
        },
      ];

const groupNode = (group: Group): Node => ({
  key: group.id,
  kind: 'group',
  name: group.name,
  path: undefined,
  servers: group.clusters.flatMap(serversOf),
  nodes: group.clusters.flatMap(clusterNodes),
});

/** Only what is found and what leads there; a cluster that is found by its name keeps its servers. */
function narrowed(node: Node, found: (server: Server) => boolean): Node[] {
  const nodes = node.nodes.flatMap((below) => narrowed(below, found));
  const own = node.kind === 'server' && node.servers.some(found);
  return nodes.length > 0 || own ? [{ ...node, nodes }] : [];
}

export function treeRows(groups: readonly Group[], { toggled, found, stateOf }: TreeView): TreeRow[] {
  const isPlain = groups.length === 1 && groups[0]?.is_default === true;
  const all = isPlain
    ? groups.flatMap(({ clusters }) => clusters.flatMap(clusterNodes))
    : groups.map(groupNode);
  const many = groups.flatMap(({ clusters }) => clusters.flatMap(serversOf)).length > OPEN_UP_TO;
  const top = found ? all.flatMap((node) => narrowed(node, found)) : all;
  const rows: TreeRow[] = [];
  const lay = (nodes: readonly Node[], level: number) => {
    for (const [index, node] of nodes.entries()) {
      const isOpen = found !== undefined || (toggled[node.key] ?? (node.kind !== 'cluster' || !many));
      rows.push({
        rowKey: node.key,
        kind: node.kind,
        name: node.name,
        path: node.path,
        level,
        position: index + 1,
        size: nodes.length,
        open: node.nodes.length > 0 ? isOpen : undefined,
        count: node.kind === 'server' ? allServers(node.servers).length : node.servers.length,
        state: worstState(node.servers.map(stateOf)),
      });
      const [only] = node.servers;
      const last = rows.at(-1);
      if (node.kind === 'server' && only && last) last.state = stateOf(only);
      if (isOpen) lay(node.nodes, level + 1);
    }
  };
  lay(top, 1);
  return rows;
}

/** Where an arrow leads from the row at `at`: another row, or opening and closing this one. */
export function stepOf(
  rows: readonly TreeRow[],
  at: number,
  key: string,
): { to: number } | { toggle: TreeRow } | undefined {
  const row = rows[at];
  if (!row) return undefined;
  if (key === 'ArrowDown') return { to: Math.min(rows.length - 1, at + 1) };
  if (key === 'ArrowUp') return { to: Math.max(0, at - 1) };
  if (key === 'Home') return { to: 0 };
  if (key === 'End') return { to: rows.length - 1 };
  if (key === 'ArrowRight') {
    if (row.open === undefined) return undefined;
    return row.open ? { to: at + 1 } : { toggle: row };
  }
  if (key !== 'ArrowLeft') return undefined;
  if (row.open) return { toggle: row };
  const above = rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
  return above < 0 ? undefined : { to: above };
}
