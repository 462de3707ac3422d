// One sentence or two on a plan as a whole: how long it took, where, and what to look at first.

import { NODES_ABOVE } from './read/text.ts';
import { shownMs, shownNumber, shownShare } from './shown-figures.ts';
import type { Plan, PlanNode } from './types.ts';
import { inputsOf, nameOf, nodesOf } from './walk.ts';

/** How long the statement took, as far as the plan says. */
export const totalMs = ({
  execution_ms,
  duration_ms,
  plan,
}: Pick<Plan, 'execution_ms' | 'duration_ms' | 'plan'>) => execution_ms ?? plan.inclusive_ms ?? duration_ms;

/** Less is not felt. */
const WORTH_PLANNING_MS = 20;
const ofTrigger = (name: string) => name.replace(/^constraint /, 'of the constraint ');

function timeOf(plan: Plan): string {
  const total = totalMs(plan);
  const { total_cost } = plan.plan;
  const cost = total_cost === null ? ', without costs' : `, at a cost of ${shownNumber(total_cost)}`;
  if (!plan.analyzed) return `Estimated only${cost}: run EXPLAIN (ANALYZE, BUFFERS) to see times and rows.`;
  if (total === null) return 'The statement was run without timing: rows are measured, times are unknown.';
  const [trigger] = plan.triggers.toSorted((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  if (trigger !== undefined && (trigger.ms ?? 0) > total / 2)
    return `Took ${shownMs(total)}, ${shownShare(trigger.ms ?? 0, total)} of it in the trigger ${ofTrigger(trigger.name)}.`;
  const written = plan.serialization_ms ?? 0;
  if (written > total / 2)
    return `Took ${shownMs(total)}, ${shownShare(written, total)} of it for writing the rows out as a client gets them (SERIALIZE).`;
  const dearest = nodesOf(plan.plan).find(({ id }) => id === plan.dearest_node);
  const where =
    dearest === undefined || dearest.own_ms === null
      ? ''
      : `, ${shownShare(dearest.own_ms, total)} of it in node ${dearest.id} (${nameOf(dearest)})`;
  const planning = plan.planning_ms ?? 0;
  const planned = planning > Math.max(total, WORTH_PLANNING_MS) ? ` Planning took ${shownMs(planning)}.` : '';
  return `Took ${shownMs(total)}${where}.${planned}`;
}

const TWO = /^(?:Hash Join|Merge Join|Nested Loop|Recursive Union)$/;
const ONE =
  /^(?:Sort|Incremental Sort|Hash|Materialize|Memoize|Limit|Unique|Aggregate|WindowAgg|LockRows|Gather|Gather Merge|Subquery Scan|Bitmap Heap Scan)$/;

/** The last node, where what it reads is not there: the text was cut. */
function cutBelow(plan: Plan): PlanNode | undefined {
  let last: PlanNode | undefined = plan.plan;
  for (; last !== undefined; last = last.children.at(-1)) {
    const inputs = inputsOf(last).length;
    if ((TWO.test(last.node) && inputs < 2) || (ONE.test(last.node) && inputs === 0)) return last;
  }
  return undefined;
}

function cutOf(plan: Plan): string {
  const last = plan.format === 'text' ? cutBelow(plan) : undefined;
  if (plan.details.some(({ name }) => name === NODES_ABOVE))
    return ' The plan was cut: what is above node 1 is missing.';
  return last === undefined
    ? ''
    : ` The plan was cut: what is below node ${last.id} (${nameOf(last)}) is missing.`;
}

export function verdictOf(plan: Plan): string {
  const [first] = plan.advice;
  const time = timeOf(plan) + cutOf(plan);
  if (first === undefined) return `${time} No advice.`;
  const rest = plan.advice.length === 1 ? '' : ` and ${plan.advice.length - 1} more`;
  return `${time} ${first.title} at node ${first.node}${rest}.`;
}
