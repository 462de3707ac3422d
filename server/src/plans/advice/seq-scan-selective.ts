// Whole tables read for a few rows.

import { shownNumber, shownShare } from '../shown-figures.ts';
import type { PlanNode } from '../types.ts';
import { conditionOf } from '../walk.ts';
import { comparedIn, indexColumns, keptOf, listed } from './conditions.ts';
import { defineAdvice, relationOf, shareOf } from './types.ts';

const MOST_KEPT = 0.05;
/** Fewer are read in a millisecond, which no index makes worth its upkeep; of a scan in a loop, those of all loops. */
const FEWEST_REMOVED = 10_000;

/** Of TimescaleDB. */
const CHUNK = /^_hyper_\d/;

function hintOf(node: PlanNode): string {
  if (CHUNK.test(node.relation ?? '')) return ' This is a chunk: create the index on its hypertable.';
  return /~~\*? '%/.test(conditionOf(node, 'Filter') ?? '')
    ? ' A pattern that begins with % needs a trigram index (pg_trgm, gin_trgm_ops).'
    : '';
}

export const advice = defineAdvice({
  name: 'seq_scan_selective',
  title: 'Sequential scan with a selective filter',
  meaning: 'The whole table is read to find a few of its rows.',
  action: 'Create an index on the filtered columns; use "create index concurrently" on a busy table.',
  judge(node, facts) {
    const relation = relationOf(node);
    const seen = keptOf(node, node.rows_removed_by_filter);
    if (node.node !== 'Seq Scan' || relation === null || seen === undefined) return undefined;
    if (1 - seen.share > MOST_KEPT || seen.removed < FEWEST_REMOVED) return undefined;
    const columns = comparedIn(conditionOf(node, 'Filter'));
    return {
      evidence: `Of ${shownNumber(seen.kept + seen.removed)} rows read, ${shownNumber(seen.kept)} passed the filter (${shownShare(seen.removed, seen.kept + seen.removed)} removed).${hintOf(node)}`,
      remedy:
        columns === undefined || CHUNK.test(node.relation ?? '')
          ? null
          : `create index on ${relation} (${listed(indexColumns(columns))});`,
      weight: shareOf(node, facts),
    };
  },
});
