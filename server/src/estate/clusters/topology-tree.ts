// Standbys under the server they stream from. Pure. Guards: every server comes out exactly once, and no deeper than
// MAX_DEPTH, whatever parents it claims.
import type { TopologyServerShape } from './topology.schemas.ts';

export interface TreeNode {
  server: TopologyServerShape;
  /** Whom it may stream from, the likeliest first. Those that are not in the same cluster do not count. */
  parents: readonly (number | null)[];
}

/** Deeper cascades than anybody runs. */
export const MAX_DEPTH = 16;

/** Fills in `children` and `is_expandable` of the servers, and answers those that stand under nobody. */
export function nest(nodes: readonly TreeNode[]): TopologyServerShape[] {
  const byId = new Map(nodes.map((node) => [node.server.id, node]));
  const parentOf = ({ server, parents }: TreeNode) =>
    parents.find((id) => id !== null && id !== server.id && byId.has(id)) ?? undefined;
  const standbys = new Map<number, TreeNode[]>();
  const roots: TreeNode[] = [];
  for (const node of nodes) {
    const parent = parentOf(node);
    const siblings = parent === undefined ? roots : standbys.get(parent);
    if (siblings) siblings.push(node);
    else if (parent !== undefined) standbys.set(parent, [node]);
  }
  const placed = new Set<number>();
  const place = ({ server }: TreeNode, depth: number): TopologyServerShape => {
    placed.add(server.id);
    const below = depth < MAX_DEPTH ? standbys.get(server.id) : undefined;
    if (!below) return server;
    server.children = below.flatMap((node) => (placed.has(node.server.id) ? [] : [place(node, depth + 1)]));
    server.is_expandable = server.children.length > 0;
    return server;
  };
  const top = roots.map((node) => place(node, 1));
  for (const node of nodes) if (!placed.has(node.server.id)) top.push(place(node, 1));
  return top;
}
