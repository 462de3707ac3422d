// A client that began a transaction and then does nothing.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'idle_in_transaction',
  category: 'transactions',
  metric: 'pg_stat_activity.idle_in_transaction_seconds',
  operator: '>',
  threshold: 300,
  severity: 'warning',
  followsFromEarlier: ['blocked_queries', 'lock_wait_time'],
  namesBlocker: true,
  namesSession: true,
  title: 'Session idle in transaction',
  reading: 'Longest time idle in transaction: {value}',
  meaning: 'The session keeps its locks and keeps vacuum from removing dead tuples.',
  remedy:
    'Make the application commit or roll back. As a safeguard, set idle_in_transaction_session_timeout.',
  evidence: {
    sql: `select pid, usename, application_name, client_addr, state, wait_event_type, wait_event, now() - state_change as idle_for, left(query, 200) as query
    from pg_stat_activity
    where state like 'idle in transaction%'
    order by state_change
    limit 20`,
  },
});
