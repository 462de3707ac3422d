// Rows that are made, by a subquery, a CTE, a function or a foreign server, only to be thrown away.

import { shownNumber } from '../shown-figures.ts';
import { nameOf } from '../walk.ts';
import { keptOf } from './conditions.ts';
import { defineAdvice, shareOf } from './types.ts';

const FEWEST_REMOVED = 1000;
const MOST_REMOVED = 0.9;
/** These have an advice of their own; HAVING can judge groups only when they are made, and extensions read tables in their own way. */
const OTHERS =
  /^(?:Seq Scan|Index (?:Only )?Scan|Bitmap Heap Scan|Hash Join|Merge Join|Nested Loop|Aggregate|Group|Custom Scan)$/;

export const advice = defineAdvice({
  name: 'filter_discards_rows',
  title: 'Filter that discards most rows',
  meaning: 'Rows are produced and then thrown away; the condition comes too late.',
  action: 'Move the condition into the part of the statement that produces the rows.',
  judge(node, facts) {
    const seen = keptOf(node, node.rows_removed_by_filter);
    if (OTHERS.test(node.node) || seen === undefined) return undefined;
    // Read again for each row of a loop, a CTE is compared with that row, which is not known where it is made.
    // Numbers and sums of windows are known only when all rows are there.
    if (node.children.some((child) => child.node === 'WindowAgg')) return undefined;
    if (node.node === 'CTE Scan' && (node.loops ?? 0) > 1) return undefined;
    if (seen.share < MOST_REMOVED || seen.removed < FEWEST_REMOVED) return undefined;
    return {
      evidence: `${nameOf(node)} threw away ${shownNumber(seen.removed)} rows and kept ${shownNumber(seen.kept)}.`,
      remedy: null,
      weight:
        node.inclusive_ms === null
          ? 0
          : Math.max(shareOf(node, facts), node.inclusive_ms / (facts.total_ms || 1) / 2),
    };
  },
});
