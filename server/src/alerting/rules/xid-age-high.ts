// Age of the oldest transaction id, long before the server refuses to write.
import { rule as transactionWraparound } from './transaction-wraparound.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'xid_age_high',
  category: 'transactions',
  metric: 'pg_wraparound.xid_percent',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  followsFrom: ['transaction_wraparound'],
  namesHolder: true,
  joins: 'in',
  title: 'High transaction ID age',
  reading: 'Transaction ID age is {value} of the limit',
  meaning:
    'Autovacuum freezes tuples long before this by default. It does not reach a table, or an old transaction blocks it.',
  remedy: transactionWraparound.remedy,
  evidence: transactionWraparound.evidence,
  isOurs: true,
});
