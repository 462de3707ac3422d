// Entries of spock.exception_log of the last 15 minutes.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'spock_recent_exceptions_present',
  category: 'replication',
  metric: 'spock_exception_log.recent_count',
  operator: '>=',
  threshold: 1,
  severity: 'warning',
  requires: 'spock',
  followsFrom: ['spock_recent_exceptions_high'],
  title: 'Spock apply exceptions',
  reading: 'Apply exceptions in the last 15 minutes: {value}',
  meaning: 'Changes from another node could not be applied. The nodes may no longer agree.',
  remedy: 'Read spock.exception_log and fix the cause. Apply the change by hand if it is still needed.',
  evidence: {
    sql: `select *
    from spock.exception_log
    order by retry_errored_at desc
    limit 20`,
  },
});
