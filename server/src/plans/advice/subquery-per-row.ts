// Subqueries that are run once for each row and take most of the time.
import { shownMs, shownNumber, shownShare } from '../shown-figures.ts';
import { nodesOf } from '../walk.ts';
import { defineAdvice } from './types.ts';

const MOST_OF_TIME = 0.5;
const WORTH_MS = 100;
const WORTH_LOOPS = 5000;

export const advice = defineAdvice({
  name: 'subquery_per_row',
  title: 'Subquery that is run for each row',
  meaning: 'A subquery that names columns of the outer row is run again for each of them.',
  action:
    'Write it as a join with the grouped rows of the subquery, so that these are read once, or see to it that fewer rows reach it.',
  judge(node, { total_ms }) {
    if (!node.subplan?.startsWith('SubPlan ') || node.node === 'Materialize') return undefined;
    const { loops, inclusive_ms } = node;
    if (loops === null || loops < WORTH_LOOPS || inclusive_ms === null || total_ms === null) return undefined;
    if (inclusive_ms < WORTH_MS || inclusive_ms < MOST_OF_TIME * total_ms) return undefined;
    // Where it reads whole tables each time, an index is what it lacks.
    if (nodesOf(node).some((one) => one.node === 'Seq Scan' && (one.rows_removed_by_filter ?? 0) > 100))
      return undefined;
    return {
      evidence: `It was run ${shownNumber(loops)} times, ${shownMs(inclusive_ms / loops)} each: ${shownMs(inclusive_ms)} of ${shownMs(total_ms)} (${shownShare(inclusive_ms, total_ms)}).`,
      remedy: null,
      weight: Math.min(1, inclusive_ms / total_ms),
    };
  },
});
