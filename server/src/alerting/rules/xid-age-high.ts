// Age of the oldest transaction id, long before the server refuses to write.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'xid_age_high',
  category: 'transactions',
  metric: 'pg_wraparound.xid_percent',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  followsFrom: ['transaction_wraparound'],
  title: 'High transaction ID age',
  reading: 'Transaction ID age is {value} of the limit',
  meaning:
    'Autovacuum freezes tuples long before this by default. It does not reach a table, or an old transaction blocks it.',
  remedy:
    'Look for old transactions, prepared transactions and replication slots that hold back vacuum. Then vacuum the tables with the oldest relfrozenxid.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
  isOurs: true,
});
