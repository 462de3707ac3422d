// Statements of servers whose plan in the log is slower than one before, with what changed, for the check that tells of them. Guards: one
// statement for all servers; only of the few that are slower is more read.
import type { Ctx } from '../../identity/identity.ts';
import type { LoggedPlans, LoggedRegression } from '../checks/kept-plan.ts';
import { changesOfPlans, exampleOf, relationsOf } from './plan-changes.service.ts';
import { plansById, type RecentRow, recentPlans } from './query-plans.queries.ts';
import { type Regression, regressionOf } from './regression.ts';

const MOST_OF_A_SERVER = 10;

const keyOf = ({ connection_id, database_name, statement_key }: RecentRow) =>
  `${connection_id}\n${database_name}\n${statement_key}`;

async function toldOf(ctx: Ctx, found: Regression<RecentRow>): Promise<LoggedRegression> {
  const { before, after, since, runs, mean_ms, before_mean_ms } = found;
  const { connection_id, database_name, statement_key } = after;
  const rows = await plansById(ctx.db, connection_id, [before.id, after.id]);
  const [one, two] = [before, after].map(({ id }) => rows.find((row) => row.id === id));
  const plan = two && exampleOf(two);
  const changes = one && two ? await changesOfPlans(ctx, connection_id, [one, two]) : [];
  return {
    ...{ database_name, queryid: statement_key, since, runs, mean_ms, before_mean_ms },
    ...{ outline: after.outline, outline_before: before.outline, before_runs: before.logged },
    tables: plan ? [...relationsOf(plan)] : [],
    changes: changes.map(({ summary }) => summary),
  };
}

/** By connection. */
export async function loggedPlans(
  ctx: Ctx,
  connection_ids: readonly number[],
): Promise<Map<number, LoggedPlans>> {
  const rows = await recentPlans(ctx.db, connection_ids);
  const found = new Map<number, LoggedPlans>();
  for (const [connection_id, own] of Map.groupBy(rows, (row) => row.connection_id)) {
    const statements = [...Map.groupBy(own, keyOf).values()];
    const slower = statements
      .flatMap((plans) => regressionOf(plans) ?? [])
      .toSorted((a, b) => (b.mean_ms - b.before_mean_ms) * b.runs - (a.mean_ms - a.before_mean_ms) * a.runs);
    const regressions: LoggedRegression[] = [];
    for (const one of slower.slice(0, MOST_OF_A_SERVER)) regressions.push(await toldOf(ctx, one));
    const current = statements.flatMap(
      (plans) => plans.toSorted((a, b) => b.last_logged.localeCompare(a.last_logged))[0] ?? [],
    );
    found.set(connection_id, {
      regressions,
      means: current.flatMap(({ database_name, statement_key: queryid, since_logged, since_ms }) =>
        since_logged > 0 ? [{ database_name, queryid, mean_ms: since_ms / since_logged }] : [],
      ),
    });
  }
  return found;
}
