// Plans of statements as checks compare them: what was kept of many servers, and what has to be kept after they were judged.

import type { Db } from '../../kernel/db.ts';
import type { Facts } from '../checks/facts.ts';
import { type KeptPlan, type KeptPlans, type PlanBefore, planKey } from '../checks/kept-plan.ts';
import { plansNow } from '../checks/plans-kept.ts';
import { keptPlanRows, type PlanRow, type SeenPlan } from './plans.queries.ts';

function beforeOf(row: PlanRow): PlanBefore | null {
  const { previous_shape: shape, previous_mean_ms: mean_ms, changed_at } = row;
  if (shape === null || mean_ms === null || changed_at === null) return null;
  const base = { calls: row.base_calls ?? 0, time_ms: row.base_time_ms ?? 0, all_ms: row.base_all_ms ?? 0 };
  return { shape, mean_ms, changed_at, calls: row.previous_calls ?? 0, base };
}

function planOf(row: PlanRow): KeptPlan {
  const { database_name, queryid, shape, seen_at, calls, time_ms, all_ms } = row;
  return { database_name, queryid, shape, seen_at, calls, time_ms, all_ms, before: beforeOf(row) };
}

/** By connection; of each of them something, be it that nothing was kept yet. One statement. */
export async function readPlans(db: Db, connection_ids: readonly number[]): Promise<Map<number, KeptPlans>> {
  const rows = Map.groupBy(await keptPlanRows(db, connection_ids), ({ connection_id }) => connection_id);
  return new Map(
    connection_ids.map((id) => [
      id,
      new Map((rows.get(id) ?? []).map(planOf).map((plan) => [planKey(plan), plan])),
    ]),
  );
}

/** Those of a server that were seen since. */
export function newPlans(connection_id: number, facts: Facts): SeenPlan[] {
  const { plans } = facts;
  if (!plans) return [];
  return [...plansNow(plans, facts)].flatMap(([key, plan]) =>
    plans.get(key) === plan ? [] : [{ connection_id, plan }],
  );
}
