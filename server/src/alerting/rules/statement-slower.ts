// A statement that matters takes longer than it used to.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'statement_slower',
  category: 'queries',
  metric: 'pg_stat_statements.slowdown',
  operator: '>',
  threshold: 2,
  severity: 'warning',
  requires: 'pg_stat_statements',
  followsFrom: ['log_plan_regression'],
  isOfWorkload: true,
  namesDropped: true,
  title: 'Slower statement',
  reading: 'Mean time is {value} times that of the day before',
  meaning:
    'The statement takes at least 5 % of the statement time of its database. Likely causes: another plan, more rows, a colder cache or waits.',
  remedy:
    'Open the statement in Queries. Calls, rows and blocks per call show whether it does more work or waits longer. Compare its plan with EXPLAIN (ANALYZE, BUFFERS). Check what changed on the server at that time.',
  evidence: {
    sql: `select s.queryid, s.calls, round(s.mean_exec_time::numeric, 1) as mean_ms, round(s.rows::numeric / s.calls, 1) as rows_each,
      round((s.shared_blks_hit + s.shared_blks_read)::numeric / s.calls, 1) as blocks_each, left(s.query, 200) as query
    from pg_stat_statements s
    where s.calls > 0
    order by s.total_exec_time desc
    limit 20`,
  },
  isOurs: true,
});
