// Errors of a class far above what was usual the day before.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_errors_above_usual',
  category: 'queries',
  metric: 'server_log.errors_times_usual',
  operator: '>',
  threshold: 5,
  severity: 'warning',
  title: 'Errors above the usual',
  joins: ':',
  reading: 'Errors of this class: {value} times the usual',
  meaning:
    'Statements fail far more often than in the day before. A release or a schema change is a usual cause.',
  remedy: 'Filter the Logs tab by this class. Compare the first event with the time of the last release.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
