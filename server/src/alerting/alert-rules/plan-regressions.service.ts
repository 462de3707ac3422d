// Slower plans of statements as values of a metric: how many times as long a run takes as with the plan before. Guards: plans are compared
// in one place (insight/query-plans), which keeps what it finds; a value is of when they were compared.
import type { MetricValue } from '../../history/history.ts';
import type { Db } from '../../kernel/db.ts';
import { shownCount, shownTime, shownValue } from '../../kernel/shown-value.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import {
  type KeptRegression,
  type KeptRegressions,
  keptRegressions,
  loggedPlansOf,
} from './plan-regressions.queries.ts';

/** Plans are compared every minute, and where that takes long not much more rarely. */
const CURRENT_MS = 10 * MINUTE_MS;

/** Whether what was found then still says what is so now; milliseconds since the epoch. */
export const isComparisonCurrent = (at: number, now: number): boolean => now - at <= CURRENT_MS;

const MOST_CHANGES = 3;

function saidOf({ since, runs, mean_ms, before_mean_ms, changes }: KeptRegression): string {
  const times = `${shownValue(before_mean_ms, 'ms')} before, ${shownValue(mean_ms, 'ms')} in ${shownCount(runs, 'run')} since ${shownTime(since)}`;
  const why = changes.slice(0, MOST_CHANGES).map((line) => line.replace(/\.$/, ''));
  return [times, ...(why.length === 0 ? ['no change is known that led to it'] : why)].join('; ');
}

export const readRegressions = (db: Db, connection_ids: readonly number[]): Promise<KeptRegressions[]> =>
  connection_ids.length === 0
    ? Promise.resolve([])
    : db.rows<KeptRegressions>(keptRegressions(connection_ids));

/** Whether a plan of the server was ever seen, and whether an extension counts its plans. */
export const plansKnown = (db: Db, connection_id: number) =>
  db.one<{ has_plans: boolean; is_counted: boolean }>(loggedPlansOf(connection_id));

export async function planValues(db: Db, connection_ids: readonly number[]): Promise<MetricValue[]> {
  const kept = await readRegressions(db, connection_ids);
  return kept.flatMap(({ connection_id, at, items }) =>
    items.map((one): MetricValue => {
      const { database_name, queryid, mean_ms, before_mean_ms } = one;
      return {
        ...{ connection_id, database_name, object: { queryid }, at: new Date(at).toISOString() },
        value: mean_ms / before_mean_ms,
        says: saidOf(one),
      };
    }),
  );
}
