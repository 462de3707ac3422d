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
  title: 'Old multixact ids are not removed',
  meaning:
    'Autovacuum removes them long before this by default: it does not get to a table, or an old transaction keeps them.',
  remedy:
    'Vacuum the tables with the oldest relminmxid, and end the transactions that have been open longest.',
  evidence: {
    sql: `select datname, mxid_age(datminmxid), round(100.0 * mxid_age(datminmxid) / 2147483647, 1) as percent
    from pg_database
    order by mxid_age(datminmxid) desc`,
  },
  isOurs: true,
});
