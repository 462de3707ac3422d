// For the rule that judges plans: how what was found of them is kept.
import type { KeptRegression } from '../../alerting/alert-rules/plan-regressions.queries.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

/** When there is trouble and when there is none: the two are as near to the threshold as they can be. */
export interface PlanCase {
  bad: KeptRegression;
  good: KeptRegression;
}

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
