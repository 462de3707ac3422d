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
  title: 'A statement has been running for long',
  meaning: 'It may hold locks, keep vacuum from removing dead rows, or be stuck.',
  remedy: 'Look at what it waits for; end it with pg_cancel_backend(pid) when nobody needs its result.',
  evidence: {
    sql: `select pid, usename, application_name, client_addr, state, wait_event_type, wait_event, now() - query_start as running, left(query, 200) as query
    from pg_stat_activity
    where state = 'active' and backend_type = 'client backend'
    order by query_start
    limit 20`,
  },
});
