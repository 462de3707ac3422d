// Which values a round looks at any further. Pure. Guards: what could fire, or end anything that stands, is among them.
import type { RuleInForce, RulesInForce } from '../areas/alert-rules/in-force.service.ts';
import { meets } from '../areas/alert-rules/judge.service.ts';
import type { Asked } from './readings.ts';
import type { KnownAlerts } from './standing.ts';

/** Of most values the condition is not met, and nothing stands on their connection that they could end. */
export function mattersFor(
  { known, inForce }: { known: KnownAlerts; inForce: RulesInForce },
  name: string,
): Asked['mayMatter'] {
  const standing = new Set(
    [...known.openOfRule(name), ...known.pendingOfRule(name)].map(({ connection_id }) => connection_id),
  );
  const conditions = new Map<number, RuleInForce>();
  const conditionOf = (connection_id: number): RuleInForce => {
    const before = conditions.get(connection_id);
    if (before) return before;
    const set = inForce.of(connection_id, name);
    conditions.set(connection_id, set);
    return set;
  };
  return (connection_id, value) =>
    standing.has(connection_id) || (value !== null && meets(value, conditionOf(connection_id)));
}
