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
  isOfWorkload: true,
  title: 'A statement became slower',
  meaning:
    'It takes at least a twentieth of the time that its database spends on statements, and an execution takes longer than in the day before: another plan, more rows, fewer pages in memory, or others in its way.',
  remedy:
    'Look at the statement in the Queries of the server: calls, rows and blocks of an execution say whether it does more work or waits longer. Compare its plan with EXPLAIN (ANALYZE, BUFFERS), and look at what changed on the server at that time.',
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
