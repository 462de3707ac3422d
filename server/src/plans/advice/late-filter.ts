// Joins that make rows which a condition then throws away.

import { shownNumber } from '../shown-figures.ts';
import { conditionOf } from '../walk.ts';
import { isEquality, keptOf } from './conditions.ts';
import { defineAdvice, shareOf } from './types.ts';

const FEWEST_REMOVED = 1000;
const MOST_REMOVED = 0.9;
/** A left join of which only the rows with nothing on the other side are kept. */
const WITHOUT_PARTNER = /^\(\S+ IS NULL\)$/;
const JOINS = ['Hash Join', 'Merge Join', 'Nested Loop'];

export const advice = defineAdvice({
  name: 'late_filter',
  title: 'Late filter after a join',
  meaning: 'Pairs of rows are joined first and most of them are thrown away after.',
  action:
    'Rewrite the condition so that it is an equality of columns, or applies to one table before the join.',
  judge(node, facts) {
    if (!JOINS.includes(node.node)) return undefined;
    const removed = (node.rows_removed_by_join_filter ?? 0) + (node.rows_removed_by_filter ?? 0);
    const seen = keptOf(node, removed === 0 ? null : removed);
    if (seen === undefined || seen.share < MOST_REMOVED || seen.removed < FEWEST_REMOVED) return undefined;
    const condition = conditionOf(node, 'Join Filter') ?? conditionOf(node, 'Filter') ?? 'its condition';
    // A nested loop was chosen for a few rows: what is wrong is the estimate.
    if (isEquality(condition)) return undefined;
    const hint = WITHOUT_PARTNER.test(condition)
      ? ' Where it looks for rows without a partner, "not exists" finds them without joining the others.'
      : '';
    return {
      evidence: `${shownNumber(seen.removed)} joined rows were thrown away by ${condition}, ${shownNumber(seen.kept)} were kept.${hint}`,
      remedy: null,
      weight: shareOf(node, facts),
    };
  },
});
