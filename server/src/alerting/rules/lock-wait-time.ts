// How long a session has waited for a lock.
import { rule as blockedQueries } from './blocked-queries.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'lock_wait_time',
  category: 'locks',
  metric: 'pg_stat_activity.max_lock_wait_seconds',
  operator: '>',
  threshold: 30,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction'],
  followsFromEarlier: ['blocked_queries'],
  namesBlocker: true,
  title: 'Longest lock wait',
  reading: 'Longest lock wait: {value}',
  meaning: 'A session holds a lock that others need.',
  remedy: blockedQueries.remedy,
  evidence: blockedQueries.evidence,
});
