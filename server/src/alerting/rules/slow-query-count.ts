// Statements with a mean time over a second.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'slow_query_count',
  category: 'queries',
  metric: 'pg_stat_statements.slow_query_count',
  operator: '>',
  threshold: 10,
  severity: 'warning',
  requires: 'pg_stat_statements',
  isOfWorkload: true,
  title: 'Slow queries',
  reading: 'Statements with a mean time over 1 s in the last hour: {value}',
  meaning: 'Slow statements hold connections, locks and memory for longer.',
  remedy: 'Sort Queries of the server by mean time, and look for statements that became slower.',
  evidence: {
    sql: `select s.queryid, s.calls, round(s.mean_exec_time::numeric, 1) as mean_ms, left(s.query, 200) as query
    from pg_stat_statements s
    order by s.mean_exec_time desc
    limit 20`,
  },
});
