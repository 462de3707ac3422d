// All advice on a plan, the weightiest first, each with its node.
import { advices } from './advice/catalog.gen.ts';
import type { PlanAdvice, PlanFacts, Seen } from './advice/types.ts';
import type { Advice, Plan, PlanNode } from './types.ts';
import { totalMs } from './verdict.ts';
import { nodesOf, parentsOf } from './walk.ts';

/** Of one kind in one plan, such as a spill in each of a thousand partitions. */
const MOST_OF_A_KIND = 10;

interface AdviceAtNode {
  advice: PlanAdvice;
  node: PlanNode;
  seen: Seen;
}

export function advise(plan: Plan): Advice[] {
  const nodes = nodesOf(plan.plan);
  const facts: PlanFacts = { plan, nodes, parents: parentsOf(plan.plan), total_ms: totalMs(plan) };
  const found = advices.flatMap((advice) => {
    const own: AdviceAtNode[] = [];
    for (const node of nodes) {
      const seen = advice.judge(node, facts);
      if (seen !== undefined) own.push({ advice, node, seen });
    }
    return own.toSorted((a, b) => b.seen.weight - a.seen.weight).slice(0, MOST_OF_A_KIND);
  });
  return found
    .toSorted((a, b) => b.seen.weight - a.seen.weight || a.node.id - b.node.id)
    .map(({ advice: { name, title, action }, node, seen: { evidence, remedy } }) => {
      const one: Advice = { advice: name, node: node.id, title, evidence, action, remedy };
      node.advice.push(one);
      return one;
    });
}
