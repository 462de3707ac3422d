// Indexes that find many more rows than the statement wants.

import { shownNumber } from '../shown-figures.ts';
import { conditionOf } from '../walk.ts';
import { comparedIn, indexColumns, keptOf, listed } from './conditions.ts';
import { isCutOrdered } from './limit-scan.ts';
import { defineAdvice, ownRelationOf, shareOf } from './types.ts';

const FEWEST_REMOVED = 1000;
const SCANS = ['Index Scan', 'Index Only Scan', 'Bitmap Heap Scan'];

export const advice = defineAdvice({
  name: 'index_condition_poor',
  title: 'Poor index condition',
  meaning: 'The index finds many more rows than are wanted; each is read from the table and thrown away.',
  action: 'Create an index that also has the filtered columns.',
  judge(node, facts) {
    const relation = ownRelationOf(node);
    const seen = keptOf(node, node.rows_removed_by_filter);
    if (!SCANS.includes(node.node) || relation === null || seen === undefined) return undefined;
    if (seen.share < 0.9 || seen.removed < FEWEST_REMOVED || isCutOrdered(node, facts)) return undefined;
    // The index finds candidates alone, as of shapes and texts: the filter says of the same column which are right.
    if (
      /^st_\w+\(|(?:&&|~|@>|<@|@@|%) /.test(
        `${conditionOf(node, 'Index Cond') ?? ''} ${conditionOf(node, 'Filter') ?? ''}`,
      )
    )
      return undefined;
    const found = comparedIn(conditionOf(node, 'Index Cond') ?? conditionOf(node, 'Recheck Cond'), node);
    const filter = comparedIn(conditionOf(node, 'Filter'), node);
    const both = {
      equal: [...new Set([...(found?.equal ?? []), ...(filter?.equal ?? [])])],
      range: [...new Set([...(filter?.range ?? []), ...(found?.range ?? [])])],
    };
    return {
      evidence: `The index found ${shownNumber(seen.kept + seen.removed)} rows, of which the filter kept ${shownNumber(seen.kept)}.`,
      remedy:
        filter === undefined || found === undefined
          ? null
          : `create index on ${relation} (${listed(indexColumns(both))});`,
      weight: shareOf(node, facts),
    };
  },
});
