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
  meaning: 'PostgreSQL refuses writes when 3 million of the 2,147,483,647 transaction IDs are left.',
  remedy:
    'First end what holds back vacuum in any database: old transactions, prepared transactions, replication slots. Then run vacuum in the oldest databases, as a superuser. No restart and no single-user mode is needed.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
});
