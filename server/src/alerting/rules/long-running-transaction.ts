// The oldest transaction of a client.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'long_running_transaction',
  category: 'transactions',
  metric: 'pg_stat_activity.max_xact_duration_seconds',
  operator: '>',
  threshold: 3_600,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction'],
  namesSession: true,
  title: 'Long-running transaction',
  reading: 'Oldest transaction has been open for {value}',
  meaning:
    'Vacuum cannot remove rows deleted since it began, in any table of its database. On a standby, it may delay replay instead. It may also hold locks.',
  remedy: 'Let the application commit, or end the session with pg_terminate_backend(pid).',
  evidence: {
    sql: `select pid, usename, application_name, client_addr, state, wait_event_type, wait_event, now() - xact_start as open_for, left(query, 200) as query
    from pg_stat_activity
    where xact_start is not null and backend_type = 'client backend'
    order by xact_start
    limit 20`,
  },
});
