// Many deadlocks within a minute.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_deadlocks_per_minute',
  category: 'locks',
  metric: 'server_log.deadlocks_per_minute',
  operator: '>',
  threshold: 5,
  severity: 'critical',
  namesStatement: 'deadlocks',
  title: 'Many deadlocks',
  reading: 'Most deadlocks within a minute of the last hour: {value}',
  meaning: 'Transactions wait for each other again and again, and PostgreSQL cancels one of them each time.',
  remedy:
    'The Logs tab shows both statements of each deadlock. Take locks in the same order in all transactions.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
