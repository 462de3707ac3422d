// How many sessions wait for a lock.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'blocked_queries',
  category: 'performance',
  metric: 'pg_stat_activity.blocked_count',
  operator: '>',
  threshold: 5,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction', 'lock_wait_time'],
  title: 'Sessions wait for locks',
  meaning: 'They wait for a session that holds a lock, and more come behind them.',
  remedy:
    'Look at the lock tree for the session at its root; end its transaction, or it with pg_terminate_backend(pid). Where blocked_by is 0, a prepared transaction is at the root: rollback prepared with its gid ends it.',
  evidence: {
    sql: `select pid, pg_blocking_pids(pid) as blocked_by, wait_event, now() - query_start as waiting, left(query, 200) as query
    from pg_stat_activity
    where wait_event_type = 'Lock'
    order by query_start
    limit 20`,
  },
});
