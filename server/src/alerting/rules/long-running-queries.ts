// The oldest statement of a client that is still running.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'long_running_queries',
  category: 'performance',
  metric: 'pg_stat_activity.max_query_duration_seconds',
  operator: '>',
  threshold: 600,
  severity: 'warning',
  followsFromServer: ['lock_wait_time'],
  namesSession: true,
  title: 'Long-running query',
  reading: 'Longest-running query: {value}',
  meaning: 'It may hold locks, keep vacuum from removing dead tuples, or be stuck.',
  remedy: 'Check its wait event. If its result is not needed, cancel it with pg_cancel_backend(pid).',
  evidence: {
    sql: `select pid, usename, application_name, client_addr, state, wait_event_type, wait_event, now() - query_start as running, left(query, 200) as query
    from pg_stat_activity
    where state = 'active' and backend_type = 'client backend'
    order by query_start
    limit 20`,
  },
});
