// Entries of spock.exception_log of the last 15 minutes.
import { rule as spockRecentExceptionsHigh } from './spock-recent-exceptions-high.ts';
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
  meaning: spockRecentExceptionsHigh.meaning,
  remedy: spockRecentExceptionsHigh.remedy,
  evidence: spockRecentExceptionsHigh.evidence,
});
