// Nested loops that were planned for a few rows and ran for many.

import { shownNumber } from '../shown-figures.ts';
import type { PlanNode } from '../types.ts';
import { inputsOf, nodesOf } from '../walk.ts';
import { defineAdvice, relationOf } from './types.ts';

const WORTH_FACTOR = 10;
const FEWEST_LOOPS = 1000;
/** That were compared and are none, where the inner side is gone through for each row. */
const FEWEST_PAIRS = 1_000_000;

/** The tables whose rows were misjudged, from the node down. */
const tablesBelow = (node: PlanNode): string[] => [
  ...new Set(
    nodesOf(node).flatMap((one) => ((one.misestimate?.factor ?? 0) >= 2 ? (relationOf(one) ?? []) : [])),
  ),
];

export const advice = defineAdvice({
  name: 'nested_loop_misestimate',
  title: 'Nested loop with a misestimate',
  meaning:
    'The planner expected a few rows, so it chose to look up each of them; a hash or merge join suits many.',
  action:
    'Bring the estimate right: analyze the table, or create extended statistics on columns that depend on each other.',
  judge(node, { total_ms }) {
    const [outer] = inputsOf(node);
    if (node.node !== 'Nested Loop' || outer === undefined || outer.misestimate === null) return undefined;
    const { factor, direction, estimated_rows } = outer.misestimate;
    const { total_rows } = outer;
    const pairs = (node.rows_removed_by_join_filter ?? 0) * (node.loops ?? 1);
    if (direction !== 'more' || factor < WORTH_FACTOR || total_rows === null) return undefined;
    if (total_rows < FEWEST_LOOPS && pairs < FEWEST_PAIRS) return undefined;
    const tables = tablesBelow(outer);
    const share =
      total_ms === null || node.inclusive_ms === null ? 0 : Math.min(1, node.inclusive_ms / total_ms);
    return {
      evidence: `The inner side ran for ${shownNumber(total_rows)} rows, and ${shownNumber(estimated_rows)} were estimated.`,
      remedy: tables.length === 0 ? null : `analyze ${tables.join(', ')};`,
      weight: share * 0.9,
    };
  },
});
