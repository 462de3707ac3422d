// Age of the oldest transaction id, template databases included.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'transaction_wraparound',
  category: 'transactions',
  metric: 'age_percent',
  operator: '>',
  threshold: 75,
  severity: 'critical',
  title: 'Transaction ids run out',
  meaning:
    'Before the oldest unfrozen transaction is 2,147,483,647 transactions old, the server refuses to write.',
  remedy:
    'Vacuum the tables with the oldest relfrozenxid, and look for what holds the horizon back: old transactions, prepared transactions, slots.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
});
