// A statement whose new plan is slower than the one before, by its runs in the log.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_plan_regression',
  category: 'queries',
  metric: 'server_log.plan_slowdown',
  operator: '>=',
  threshold: 3,
  severity: 'warning',
  isOfWorkload: true,
  title: 'Slower plan of statement',
  reading: 'A run takes {value} times as long as with the previous plan',
  meaning: 'The planner chose another plan for the statement. It has cost at least one minute more so far.',
  remedy:
    'Open the statement in Queries. The panel Plans compares both plans and shows what changed before. Restore what is missing, or analyze its tables.',
  evidence: {
    sql: `select schemaname, relname, last_analyze, last_autoanalyze, n_mod_since_analyze, n_live_tup
    from pg_stat_user_tables
    order by n_mod_since_analyze desc
    limit 20`,
  },
  isOurs: true,
});
