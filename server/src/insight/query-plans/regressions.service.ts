// Statements of servers whose plan in the log, or as an extension counts it, is slower than one before, with what changed, for the check and the alert rule that tell of
// them. Guards: one statement for all servers; only of the few that are slower is more read; plans are compared nowhere else.

import type { KeptRegression } from '../../alerting/alerting.ts';
import type { Ctx } from '../../identity/identity.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type LoggedPlans, type LoggedRegression, lostBy, NOTABLE_MS } from '../checks/kept-plan.ts';
import { changesOfPlans, exampleOf, relationsOf } from './plan-changes.service.ts';
import {
  duePlans,
  plansById,
  type RecentRow,
  recentPlans,
  savePlanRegressions,
} from './query-plans.queries.ts';
import { type Regression, regressionOf } from './regression.ts';

const MOST_OF_A_SERVER = 10;

const statementOf = ({ connection_id, database_name, statement_key }: RecentRow) =>
  `${connection_id}\n${database_name}\n${statement_key}`;
const keyOf = (row: RecentRow) => `${statementOf(row)}\n${row.source}`;

async function toldOf(ctx: Ctx, found: Regression<RecentRow>): Promise<LoggedRegression> {
  const { before, after, since, runs, mean_ms, before_mean_ms } = found;
  const { connection_id, database_name, statement_key, source } = after;
  const rows = await plansById(ctx.db, connection_id, [before.id, after.id]);
  const [one, two] = [before, after].map(({ id }) => rows.find((row) => row.id === id));
  const plan = two && exampleOf(two);
  const changes = one && two ? await changesOfPlans(ctx, connection_id, [one, two]) : [];
  return {
    ...{ database_name, queryid: statement_key, source, since, runs, mean_ms, before_mean_ms },
    ...{ outline: after.outline, outline_before: before.outline, before_runs: before.logged },
    tables: plan ? [...relationsOf(plan)] : [],
    changes: changes.map(({ summary }) => summary),
  };
}

/** Each statement once, by the source that tells of the greater loss. */
function slowerOf(statements: readonly (readonly RecentRow[])[]): Regression<RecentRow>[] {
  const all = statements
    .flatMap((plans) => regressionOf(plans) ?? [])
    .toSorted((a, b) => lostBy(b) - lostBy(a));
  return [...Map.groupBy(all, ({ after }) => statementOf(after)).values()].flatMap(([first]) => first ?? []);
}

const byStatement = (rows: readonly RecentRow[]) => [...Map.groupBy(rows, keyOf).values()];

async function toldOfAll(ctx: Ctx, slower: readonly Regression<RecentRow>[]): Promise<LoggedRegression[]> {
  const found: LoggedRegression[] = [];
  for (const one of slower.slice(0, MOST_OF_A_SERVER)) found.push(await toldOf(ctx, one));
  return found;
}

/** By connection. */
export async function loggedPlans(
  ctx: Ctx,
  connection_ids: readonly number[],
): Promise<Map<number, LoggedPlans>> {
  const rows = await recentPlans(ctx.db, connection_ids);
  const found = new Map<number, LoggedPlans>();
  for (const [connection_id, own] of Map.groupBy(rows, (row) => row.connection_id)) {
    const statements = byStatement(own);
    const current = statements.flatMap(
      (plans) => plans.toSorted((a, b) => b.last_logged.localeCompare(a.last_logged))[0] ?? [],
    );
    found.set(connection_id, {
      regressions: await toldOfAll(ctx, slowerOf(statements)),
      means: current.flatMap(({ database_name, statement_key: queryid, since_logged, since_ms }) =>
        since_logged > 0 ? [{ database_name, queryid, mean_ms: since_ms / since_logged }] : [],
      ),
    });
  }
  return found;
}

const COMPARED_EVERY = { seconds: 60, most: 50 } as const;

/**
 * A plan that is fast again takes less time than auto_explain logs, so that nothing says it has come back: the slower one has gone when it
 * was not logged for an hour.
 */
const isCurrent = (now: number, { after }: Regression<RecentRow>) =>
  now - Date.parse(after.last_logged) <= HOUR_MS;

/** Compares the plans of servers whose log has some, those that wait longest first, and keeps what is worth an alert. */
export async function keepDueRegressions(ctx: Ctx, without: readonly number[] = []): Promise<number> {
  const due = await duePlans(ctx.db, COMPARED_EVERY, without);
  if (due.length === 0) return 0;
  const now = ctx.clock.now();
  const rows = Map.groupBy(await recentPlans(ctx.db, due), (row) => row.connection_id);
  const kept: { connection_id: number; items: KeptRegression[] }[] = [];
  for (const connection_id of due) {
    const slower = slowerOf(byStatement(rows.get(connection_id) ?? []));
    const notable = slower.filter((one) => lostBy(one) >= NOTABLE_MS && isCurrent(now, one));
    const told = await toldOfAll(ctx, notable);
    const items = told.map(({ database_name, queryid, since, runs, mean_ms, before_mean_ms, changes }) => ({
      ...{ database_name, queryid, since, runs, mean_ms, before_mean_ms, changes },
    }));
    kept.push({ connection_id, items });
  }
  await savePlanRegressions(ctx.db, kept);
  return due.length;
}
