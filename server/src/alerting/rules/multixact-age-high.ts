// Age of the oldest multixact id, long before they run out.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'multixact_age_high',
  category: 'transactions',
  metric: 'pg_wraparound.mxid_percent',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  followsFrom: ['multixact_wraparound'],
  joins: 'in',
  title: 'High multixact ID age',
  reading: 'Multixact ID age is {value} of the limit',
  meaning:
    'Autovacuum freezes multixact IDs long before this by default. It does not reach a table, or an old transaction blocks it.',
  remedy:
    'First end the oldest transactions and prepared transactions, in any database. Then run vacuum in the oldest databases, as a superuser.',
  evidence: {
    sql: `select datname, mxid_age(datminmxid), round(100.0 * mxid_age(datminmxid) / 2147483647, 1) as percent
    from pg_database
    order by mxid_age(datminmxid) desc`,
  },
  isOurs: true,
});
