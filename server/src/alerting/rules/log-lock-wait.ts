// The longest lock wait in the log.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_lock_wait',
  category: 'locks',
  metric: 'server_log.longest_lock_wait_seconds',
  operator: '>',
  threshold: 60,
  severity: 'warning',
  followsFrom: ['lock_wait_time'],
  title: 'Long lock wait in the log',
  reading: 'Longest lock wait in the last five minutes: {value}',
  meaning: 'A session waited for a lock that another transaction held.',
  remedy:
    'The Logs tab shows the statement that waited and the process that held the lock. Shorten that transaction, and set lock_timeout.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
