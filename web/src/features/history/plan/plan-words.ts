// What the page says of a node in its row.
import { type Plan, type PlanNode, shownMisestimate, shownNumber } from '../../../lib/plans.ts';

export function rowsText({ total_rows, estimated_rows, never_executed, loops }: PlanNode): string {
  const estimate = estimated_rows === null ? 'unknown' : shownNumber(estimated_rows);
  if (never_executed) return 'never executed';
  if (total_rows === null) return `≈ ${estimate} rows`;
  const times = loops !== null && loops > 1 ? ` × ${shownNumber(loops)}` : '';
  return `${shownNumber(total_rows)} of ≈ ${estimate}${times} rows`;
}

export interface Mark {
  text: string;
  tone: 'warn' | 'bad' | 'quiet';
}

export function marksOf(node: PlanNode, plan: Plan): Mark[] {
  const off = shownMisestimate(node.misestimate);
  const advice = node.advice.length;
  return [
    ...(node.id === plan.dearest_node ? [{ text: 'Most time', tone: 'bad' } satisfies Mark] : []),
    ...(node.id === plan.worst_estimated_node
      ? [{ text: 'Worst estimate', tone: 'warn' } satisfies Mark]
      : []),
    ...(off === undefined ? [] : [{ text: off, tone: 'quiet' } satisfies Mark]),
    ...(advice === 0
      ? []
      : [{ text: `${advice} ${advice === 1 ? 'piece' : 'pieces'} of advice`, tone: 'warn' } satisfies Mark]),
  ];
}

/** From 0 to 1. */
export const shareOf = (node: PlanNode, total: number | null): number =>
  node.own_ms === null || total === null || total <= 0 ? 0 : Math.min(1, node.own_ms / total);
