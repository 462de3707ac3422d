// How long a session has waited for a lock.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'lock_wait_time',
  category: 'locks',
  metric: 'pg_stat_activity.max_lock_wait_seconds',
  operator: '>',
  threshold: 30,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction'],
  namesBlocker: true,
  title: 'Longest lock wait',
  reading: 'Longest lock wait: {value}',
  meaning: 'A session holds a lock that others need.',
  remedy:
    'Find the blocker at the root of the lock tree. End its transaction, or the session with pg_terminate_backend(pid). Where blocked_by is 0, the blocker is a prepared transaction. End it with rollback prepared and its gid.',
  evidence: {
    sql: `select pid, pg_blocking_pids(pid) as blocked_by, wait_event, now() - query_start as waiting, left(query, 200) as query
    from pg_stat_activity
    where wait_event_type = 'Lock'
    order by query_start
    limit 20`,
  },
});
