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
  title: 'Old transaction ids are not frozen',
  meaning:
    'Autovacuum freezes them long before this by default: it does not get to a table, or something holds the oldest transaction back.',
  remedy:
    'Look for old transactions, prepared transactions and slots that hold the horizon back, then vacuum the tables with the oldest relfrozenxid.',
  evidence: {
    sql: `select datname, age(datfrozenxid), round(100.0 * age(datfrozenxid) / 2147483647, 1) as percent
    from pg_database
    order by age(datfrozenxid) desc`,
  },
  isOurs: true,
});
