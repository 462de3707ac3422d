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
  namesBlocker: true,
  title: 'Blocked sessions',
  reading: 'Sessions waiting for a lock: {value}',
  meaning: 'A session holds a lock that others need. More sessions may queue behind them.',
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
