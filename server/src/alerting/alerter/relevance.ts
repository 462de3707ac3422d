// Which values a round looks at any further. Pure. Guards: what could fire, or end anything that stands, is among them.

import type { WantedLimits } from '../../history/history.ts';
import type { RuleInForce, RulesInForce } from '../alert-rules/in-force.service.ts';
import { meets } from '../alert-rules/judge.service.ts';
import type { Hosts } from './hosts.ts';
import type { OpenAlerts } from './open-alerts.ts';

/** With more limits than these the datastore filters nothing. */
const MOST_LIMITS = 20;

export interface RelevanceFilter {
  /** Whether a value can change anything; what cannot is not looked at any further. */
  isRelevant(connection_id: number, value: number | null): boolean;
  /** The same in figures; undefined: servers are set too differently. */
  limitsOver(connection_ids: readonly number[]): WantedLimits | undefined;
}

/** Of most values the condition is not met, and nothing stands on their connection that they could end. */
export function relevanceOf(
  { alerts, inForce, hosts }: { alerts: OpenAlerts; inForce: RulesInForce; hosts: Hosts },
  name: string,
): RelevanceFilter {
  const affected = new Set(
    [...alerts.openOfRule(name), ...alerts.pendingOfRule(name)].flatMap(({ connection_id }) =>
      hosts.membersOf(connection_id),
    ),
  );
  const conditions = new Map<number, RuleInForce>();
  const conditionOf = (connection_id: number): RuleInForce => {
    const before = conditions.get(connection_id);
    if (before) return before;
    const set = inForce.of(connection_id, name);
    conditions.set(connection_id, set);
    return set;
  };
  return {
    isRelevant: (connection_id, value) =>
      affected.has(connection_id) || (value !== null && meets(value, conditionOf(connection_id))),
    limitsOver(connection_ids) {
      const limits = new Map<string, WantedLimits['limits'][number]>();
      for (const id of connection_ids) {
        const { operator, threshold } = conditionOf(id);
        limits.set(`${operator} ${threshold}`, { operator, limit: threshold });
        if (limits.size > MOST_LIMITS) return undefined;
      }
      return { allOf: [...affected], limits: [...limits.values()] };
    },
  };
}
