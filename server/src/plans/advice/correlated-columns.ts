// Conditions on columns that depend on each other, whose shares the planner multiplies.

import { shownNumber } from '../shown-figures.ts';
import { conditionOf } from '../walk.ts';
import { bare, comparedIn, listed } from './conditions.ts';
import { defineAdvice, ownRelationOf, quoted } from './types.ts';

const SCANS = ['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan'];
const WORTH_FACTOR = 4;
const WORTH_ROWS = 500;
const MOST_COLUMNS = 8;

export const advice = defineAdvice({
  name: 'correlated_columns',
  title: 'Correlated columns',
  meaning:
    'The planner takes columns as independent; where one follows from another it expects too few rows.',
  action: 'Create extended statistics on the columns, then analyze the table.',
  judge(node, facts) {
    const relation = ownRelationOf(node);
    if (!SCANS.includes(node.node) || relation === null || node.misestimate?.direction !== 'more')
      return undefined;
    const { factor, actual_rows, estimated_rows } = node.misestimate;
    if (factor < WORTH_FACTOR || actual_rows < WORTH_ROWS) return undefined;
    const texts = ['Index Cond', 'Recheck Cond', 'Filter'].map((name) => comparedIn(conditionOf(node, name)));
    const columns = [...new Set(texts.flatMap((one) => one?.equal ?? []))].slice(0, MOST_COLUMNS);
    if (columns.length < 2) return undefined;
    const name = quoted([node.relation ?? '', ...columns.map(bare), 'stats'].join('_'));
    return {
      evidence: `${shownNumber(actual_rows)} rows, ${shownNumber(estimated_rows)} estimated, of a condition on ${columns.join(', ')}.`,
      remedy: `create statistics ${name} (dependencies, mcv) on ${listed(columns)} from ${relation};\nanalyze ${relation};`,
      weight: facts.total_ms === null ? 0.02 : Math.min(1, (node.inclusive_ms ?? 0) / facts.total_ms) / 2,
    };
  },
});
