// The values of one thing that a rule judges, over a time that has been: as the rule sees them, the worst of each step.
// Guards: only a server that the caller may read; what cannot be told says why; as many steps as a backtest has.

import { metricHistory, planHistory } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { isKnownNowOnly } from '../../probes/formula.ts';
import { findBacktest } from './backtest.queries.ts';
import type { Backtest } from './backtest.schemas.ts';
import { intervalOf, limitsIn, RULE_READS } from './backtest.service.ts';
import { seriesOf, thingsOf } from './backtest-outcome.ts';
import { isWorse } from './judge.service.ts';
import { demandKnown } from './known-rules.service.ts';

export type PastSeries = Static<typeof Backtest>['series'];

export interface PastValuesRequest {
  rule_id: number;
  connection_id: number;
  database_name: string;
  object_name: string;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
}

const NOTHING = 'No samples of this metric are kept of that time.';
const TOO_MANY = 'There are more things of its kind on the server than can be read at once.';
const NOW_ONLY = 'This metric has no history.';

/** A text: why there are none. Three statements at most. */
export async function pastValues(ctx: Ctx, asked: PastValuesRequest): Promise<PastSeries | string> {
  const { rule_id, connection_id, database_name, object_name, from, to } = asked;
  const wanted = {
    rule_id,
    scope: 'server',
    scope_id: connection_id,
    from,
    read: RULE_READS,
    most: 1,
  } as const;
  const [row] = await findBacktest(ctx.db, ctx.principal, wanted);
  if (!row || row.connection_id === null) return NOTHING;
  const known = demandKnown(row.rule_name);
  const { probe, metric } = known;
  if (isKnownNowOnly(metric)) return NOW_ONLY;
  const interval_seconds = intervalOf(known, row);
  const parts = planHistory({
    ...{ probe, metric, from, to, interval_seconds },
    entities: Math.max(1, row.entities),
    now: ctx.clock.now(),
    kept_days: row.retention_days,
    known_since: row.created_at,
    connections: 1,
  });
  if (!parts) return TOO_MANY;
  if (parts.length === 0) return NOTHING;
  const worst = isWorse(0, 1, row) ? 'min' : 'max';
  const query = { probe, metric, parts, worst, connection_ids: [connection_id] } as const;
  const limits = limitsIn([{ connection_id, limit_value: row.limit_value }]);
  const past = await metricHistory(ctx.db, { ...query, limits, intervalOf: () => interval_seconds });
  const thing = thingsOf(known, past.histories).find(
    (one) => one.database_name === database_name && one.object_name === object_name,
  );
  if (!thing) return NOTHING;
  return seriesOf([thing], { from, to, least_seconds: parts.map(({ seconds }) => seconds) }, row);
}
