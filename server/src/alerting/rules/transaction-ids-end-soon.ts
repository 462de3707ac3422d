// Transaction ids that run out within two weeks, as vacuum does not bring their age down.
import { rule as transactionWraparound } from './transaction-wraparound.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'transaction_ids_end_soon',
  category: 'transactions',
  metric: 'pg_wraparound.xid_days_left',
  operator: '<',
  threshold: 14,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['transaction_wraparound'],
  namesHolder: true,
  joins: 'in',
  title: 'Transaction ID wraparound soon',
  reading: 'Transaction IDs run out in {value}',
  meaning:
    'Autovacuum does not bring their age down. PostgreSQL then refuses writes. Freezing large tables may take days.',
  remedy: transactionWraparound.remedy,
  evidence: transactionWraparound.evidence,
  isOurs: true,
});
