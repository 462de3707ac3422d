// The nodes of a plan in their order, with the ways to their parents.
import type { PlanNode } from './types.ts';

export function nodesOf(root: PlanNode): PlanNode[] {
  const found: PlanNode[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node);
    for (const child of node.children.toReversed()) waiting.push(child);
  }
  return found;
}

export function parentsOf(root: PlanNode): Map<number, PlanNode> {
  const parents = new Map<number, PlanNode>();
  for (const node of nodesOf(root)) for (const child of node.children) parents.set(child.id, node);
  return parents;
}

/** What the plan has below a node by join, sort or scan, without what it runs beside: InitPlans, SubPlans and CTEs. */
export const inputsOf = ({ children }: PlanNode): PlanNode[] =>
  children.filter(({ subplan }) => subplan === null);

/** `orders o`, `orders` or what a node has instead. */
function targetOf({ relation, alias, cte, function: called }: PlanNode): string | null {
  const name = relation ?? cte ?? called;
  if (name === null) return alias;
  return alias === null || alias === name ? name : `${name} ${alias}`;
}

/** `Index Scan on orders using orders_pkey`. */
export function nameOf(node: PlanNode): string {
  const target = targetOf(node);
  const on = target === null ? '' : ` on ${target}`;
  return `${node.title}${on}${node.index === null ? '' : ` using ${node.index}`}`;
}

export const conditionOf = (node: PlanNode, name: string): string | null =>
  node.conditions.find((one) => one.name === name)?.text ?? null;
