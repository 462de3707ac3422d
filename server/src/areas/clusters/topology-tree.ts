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
    const below = depth < MAX_DEPTH ? (standbys.get(server.id) ?? []) : [];
    const children = below.flatMap((node) => (placed.has(node.server.id) ? [] : [place(node, depth + 1)]));
    return { ...server, children, is_expandable: children.length > 0 };
  };
  const top = roots.map((node) => place(node, 1));
  for (const node of nodes) if (!placed.has(node.server.id)) top.push(place(node, 1));
  return top;
}
