// Whole tables read for a few rows.

import { shownNumber, shownShare } from '../shown-figures.ts';
import type { PlanNode } from '../types.ts';
import { conditionOf } from '../walk.ts';
import { comparedIn, indexColumns, keptOf, listed } from './conditions.ts';
import { defineAdvice, ownRelationOf, type PlanFacts, shareOf } from './types.ts';

const MOST_KEPT = 0.05;
/** Fewer are read in a millisecond, which no index makes worth its upkeep; of a scan in a loop, those of all loops. */
const FEWEST_REMOVED = 10_000;

/** Of TimescaleDB. */
const CHUNK = /^_hyper_\d/;

const CAST = /\)::(?:date|time|int|bigint|numeric|double|real)/;

function hintOf(node: PlanNode): string {
  const filter = conditionOf(node, 'Filter') ?? '';
  if (CHUNK.test(node.relation ?? '')) return ' This is a chunk: create the index on its hypertable.';
  if (/~~\*? '%/.test(filter))
    return ' A pattern that begins with % needs a trigram index (pg_trgm, gin_trgm_ops).';
  return CAST.test(filter)
    ? ' A column that is cast is not found by an index on it: compare it as it is, a day as a range of times.'
    : '';
}

function isSelective(node: PlanNode): boolean {
  const seen = keptOf(node, node.rows_removed_by_filter);
  if (node.node !== 'Seq Scan' || node.relation === null || seen === undefined) return false;
  return 1 - seen.share <= MOST_KEPT && seen.removed >= FEWEST_REMOVED;
}

/** Those beside it with the same filter, as partitions have it. */
function alikeOf(node: PlanNode, { parents }: PlanFacts): PlanNode[] {
  const above = parents.get(node.id);
  if (above === undefined || !/^(?:Merge )?Append$/.test(above.node)) return [node];
  const filter = conditionOf(node, 'Filter');
  return above.children.filter((one) => isSelective(one) && conditionOf(one, 'Filter') === filter);
}

export const advice = defineAdvice({
  name: 'seq_scan_selective',
  title: 'Sequential scan with a selective filter',
  meaning: 'The whole table is read to find a few of its rows.',
  action: 'Create an index on the filtered columns; use "create index concurrently" on a busy table.',
  judge(node, facts) {
    const relation = ownRelationOf(node);
    const seen = keptOf(node, node.rows_removed_by_filter);
    if (relation === null || seen === undefined || !isSelective(node)) return undefined;
    const alike = alikeOf(node, facts);
    if (alike[0] !== node) return undefined;
    const columns = comparedIn(conditionOf(node, 'Filter'), node);
    // What a subquery says of each row is in no index.
    if (columns === undefined && /SubPlan/.test(conditionOf(node, 'Filter') ?? '')) return undefined;
    const others =
      alike.length === 1
        ? ''
        : ` So did ${shownNumber(alike.length - 1)} more beside it; of partitions, create the index on their table.`;
    return {
      evidence: `Of ${shownNumber(seen.kept + seen.removed)} rows read, ${shownNumber(seen.kept)} passed the filter (${shownShare(seen.removed, seen.kept + seen.removed)} removed).${hintOf(node)}${others}`,
      remedy:
        columns === undefined || others !== '' || CHUNK.test(node.relation ?? '')
          ? null
          : `create index on ${relation} (${listed(indexColumns(columns))});`,
      weight: alike.reduce((sum, one) => sum + shareOf(one, facts), 0),
    };
  },
});
