// A LIMIT for which the planner walks an index in order, hoping to find enough rows early.
import { shownNumber } from '../shown-figures.ts';
import { keptOf } from './conditions.ts';
import { isCutOrdered } from './limit-scan.ts';
import { defineAdvice, ownRelationOf, shareOf } from './types.ts';

const FEWEST_REMOVED = 1000;
/** Rows that were thrown away for each one that was wanted. */
const WORTH = 50;

export const advice = defineAdvice({
  name: 'limit_on_wrong_index',
  title: 'LIMIT on the wrong index',
  meaning: 'The planner walks an index in its order until enough rows match; they come late.',
  action: 'Create an index that begins with the filtered columns, followed by the columns of the order.',
  judge(node, facts) {
    const relation = ownRelationOf(node);
    const seen = keptOf(node, node.rows_removed_by_filter);
    if (relation === null || seen === undefined || !isCutOrdered(node, facts)) return undefined;
    if (seen.removed < FEWEST_REMOVED || seen.removed < WORTH * seen.kept) return undefined;
    return {
      evidence: `${shownNumber(seen.removed)} rows were read in the order of ${node.index ?? 'the index'} and thrown away to find ${shownNumber(seen.kept)}.`,
      // The plan does not name the columns of the order.
      remedy: null,
      weight: shareOf(node, facts),
    };
  },
});
