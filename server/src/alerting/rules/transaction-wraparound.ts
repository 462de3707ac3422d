// Age of the oldest transaction id, template databases included.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'transaction_wraparound',
  category: 'transactions',
  metric: 'age_percent',
  operator: '>',
  threshold: 75,
  severity: 'critical',
  namesHolder: true,
  joins: 'in',
  title: 'Transaction ID wraparound',
  reading: 'Transaction ID age is {value} of the limit',
  meaning: 'At the limit of 2,147,483,647 transactions, PostgreSQL refuses writes.',
  remedy:
    'Look for old transactions, prepared transactions and replication slots that hold back vacuum. Then vacuum the tables with the oldest relfrozenxid.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
});
