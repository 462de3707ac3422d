// Entries of spock.exception_log of the last 15 minutes, many of them.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'spock_recent_exceptions_high',
  category: 'replication',
  metric: 'spock_exception_log.recent_count',
  operator: '>=',
  threshold: 10,
  severity: 'critical',
  requires: 'spock',
  title: 'spock fails to apply many changes',
  meaning:
    'Changes of another node could not be applied here within the last 15 minutes: the nodes may no longer agree.',
  remedy:
    'Read the log of exceptions, mend the cause, and apply the change by hand where it is still wanted.',
  evidence: {
    sql: `select *
    from spock.exception_log
    order by retry_errored_at desc
    limit 20`,
  },
});
