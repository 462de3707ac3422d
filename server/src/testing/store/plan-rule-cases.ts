// For the rule that judges plans what was found of them when there is trouble and when there is none, and how it is kept. Guards: the two
// are as near to the threshold as they can be.

import type { KeptRegression } from '../../alerting/alert-rules/plan-regressions.queries.ts';
import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

const SLOWER: KeptRegression = {
  ...{ database_name: 'shop', queryid: '4711', since: Date.UTC(2026, 10, 28, 3), runs: 40 },
  ...{ mean_ms: 6000, before_mean_ms: 2000, changes: ['Index "orders_a" on "orders" was dropped.'] },
};

export const PLAN_CASES = {
  log_plan_regression: { bad: SLOWER, good: { ...SLOWER, mean_ms: 5999 } },
} as const satisfies Partial<Record<RuleName, { bad: KeptRegression; good: KeptRegression }>>;

export type PlanRuleName = keyof typeof PLAN_CASES;

export const isPlanRule = (name: RuleName): name is PlanRuleName => Object.hasOwn(PLAN_CASES, name);

/** Plans of a server were compared then. */
export const compared = (
  db: Db,
  { connection_id, at }: { connection_id: number; at: number },
  items: readonly KeptRegression[],
) =>
  db.run(sql`/* test.plan_regressions */
    insert into matriarch.plan_regressions (connection_id, made_at, items)
    values (${connection_id}, ${new Date(at).toISOString()}::timestamptz, ${JSON.stringify(items)}::jsonb)
    on conflict (connection_id) do update set made_at = excluded.made_at, items = excluded.items`);
