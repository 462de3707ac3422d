// Scans that found far more or far fewer rows than the statistics of their table say.

import { shownNumber } from '../shown-figures.ts';
import type { PlanNode } from '../types.ts';
import { conditionOf } from '../walk.ts';
import { comparedIn } from './conditions.ts';
import { defineAdvice, relationOf } from './types.ts';

const SCANS = ['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan'];
const WORTH_FACTOR = 10;
const WORTH_ROWS = 1000;

const CONDITIONS = ['Index Cond', 'Recheck Cond', 'Filter'];

/** Columns that are compared with a value; undefined where a condition has something else in it. */
function columnsOf(node: PlanNode): string[] | undefined {
  const texts = CONDITIONS.flatMap((name) => conditionOf(node, name) ?? []);
  const compared = texts.map((one) => comparedIn(one));
  if (compared.some((one) => one === undefined)) return undefined;
  return [...new Set(compared.flatMap((one) => [...(one?.equal ?? []), ...(one?.range ?? [])]))];
}

export const advice = defineAdvice({
  name: 'stale_statistics',
  title: 'Stale statistics',
  meaning:
    'A condition on one column is estimated well with fresh statistics; these are old or were never gathered.',
  action: 'Analyze the table; if it happens again, let autovacuum analyze it more often.',
  judge(node, facts) {
    const relation = relationOf(node);
    if (!SCANS.includes(node.node) || relation === null || node.misestimate === null) return undefined;
    const { factor, direction, actual_rows, estimated_rows } = node.misestimate;
    if (factor < WORTH_FACTOR || Math.max(actual_rows, estimated_rows) < WORTH_ROWS) return undefined;
    // The value of a parameter is not known when the plan is made.
    if (CONDITIONS.some((name) => /\$\d/.test(conditionOf(node, name) ?? ''))) return undefined;
    const columns = columnsOf(node);
    if (columns === undefined || columns.length > 1) return undefined;
    const share = facts.total_ms === null ? 0 : Math.min(1, (node.inclusive_ms ?? 0) / facts.total_ms);
    return {
      evidence: `${shownNumber(actual_rows)} rows, ${shownNumber(estimated_rows)} estimated: ${shownNumber(factor)} times ${direction}.`,
      remedy: `analyze ${relation};`,
      weight: Math.max(0.01, share / 2),
    };
  },
});
