// Transaction ids that run out within two weeks, as vacuum does not bring their age down.
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
  title: 'Transaction ids run out within days',
  meaning:
    'The oldest unfrozen transaction grew older than autovacuum should let it, and ages on: on that day the server refuses to write. To freeze large tables may take days.',
  remedy:
    'Look for old transactions, prepared transactions and slots that hold the horizon back, then vacuum the tables with the oldest relfrozenxid.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
  isOurs: true,
});
