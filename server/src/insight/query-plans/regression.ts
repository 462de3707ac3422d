// Whether the plan that a statement has now is slower than one that it had before, by what runs took as one source tells. Pure. Guards: a statement
// whose plans take turns, as values decide, has no regression; few runs say nothing.

export interface LoggedPlan {
  readonly id: string;
  readonly plan_hash: string;
  readonly logged: number;
  readonly last_logged: string | null;
  readonly total_ms: number;
  readonly since: string | null;
  readonly since_logged: number;
  readonly since_ms: number;
}

export interface Regression<P> {
  readonly before: P;
  readonly after: P;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly runs: number;
  readonly mean_ms: number;
  readonly before_mean_ms: number;
  readonly factor: number;
}

const LEAST_RUNS = 5;
const LEAST_RUNS_BEFORE = 3;
const LEAST_FACTOR = 1.5;

const at = (time: string | null) => (time === null ? Number.NEGATIVE_INFINITY : Date.parse(time));

/** Of the plans of one statement in one database. */
export function regressionOf<P extends LoggedPlan>(plans: readonly P[]): Regression<P> | undefined {
  const logged = plans.filter(({ logged: runs }) => runs > 0);
  const [after, ...others] = logged.toSorted((a, b) => at(b.last_logged) - at(a.last_logged));
  if (after === undefined || after.since === null || after.since_logged < LEAST_RUNS) return undefined;
  const since = at(after.since);
  const mean_ms = after.since_ms / after.since_logged;
  const [best] = others
    .filter(({ logged: runs, last_logged }) => runs >= LEAST_RUNS_BEFORE && at(last_logged) <= since)
    .map((plan) => ({ plan, mean: plan.total_ms / plan.logged }))
    .toSorted((a, b) => a.mean - b.mean);
  if (best === undefined || best.mean <= 0 || mean_ms < LEAST_FACTOR * best.mean) return undefined;
  return {
    before: best.plan,
    after,
    since,
    runs: after.since_logged,
    mean_ms,
    before_mean_ms: best.mean,
    factor: mean_ms / best.mean,
  };
}

/** The worst of several statements', databases' or sources' regressions. */
export function worstRegression<
  P extends LoggedPlan & Readonly<Record<'database_name' | 'statement_key' | 'source', string>>,
>(plans: readonly P[]): Regression<P> | undefined {
  const own = Map.groupBy(plans, ({ database_name, statement_key, source }) =>
    JSON.stringify([database_name, statement_key, source]),
  );
  return [...own.values()]
    .flatMap((some) => regressionOf(some) ?? [])
    .toSorted((a, b) => b.factor - a.factor)[0];
}
