// Scans of an index in its order that stop when a LIMIT has enough rows.
import type { PlanNode } from '../types.ts';
import { conditionOf } from '../walk.ts';
import type { PlanFacts } from './types.ts';

/** What reads all rows of its input before it gives one. */
const WHOLE = ['Sort', 'Hash', 'Aggregate', 'Materialize', 'Bitmap Heap Scan'];

/** Whether it reads an index for its order, not for its condition, until a LIMIT is satisfied. */
export function isCutOrdered(node: PlanNode, { parents }: PlanFacts): boolean {
  if (!/^Index (?:Only )?Scan$/.test(node.node) || conditionOf(node, 'Index Cond') !== null) return false;
  // The nearest first: an index of another kind, which can have the filtered columns in it as well.
  if (conditionOf(node, 'Order By') !== null) return false;
  for (let above = parents.get(node.id); above !== undefined; above = parents.get(above.id)) {
    if (above.node === 'Limit') return true;
    if (WHOLE.includes(above.node)) return false;
  }
  return false;
}
