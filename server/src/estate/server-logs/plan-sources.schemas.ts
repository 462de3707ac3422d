// Where plans of statements come from: lines of the log, or an extension that counts the runs of each plan.
export const PLAN_SOURCES = ['log', 'pg_store_plans', 'pg_stat_plans'] as const;
export type PlanSource = (typeof PLAN_SOURCES)[number];
