// Age of the oldest multixact id, template databases included.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'multixact_wraparound',
  category: 'transactions',
  metric: 'pg_wraparound.mxid_percent',
  operator: '>',
  threshold: 75,
  severity: 'critical',
  title: 'Multixact ID wraparound',
  reading: 'Multixact ID age is {value} of the limit',
  meaning: 'At the limit of 2,147,483,647, PostgreSQL refuses commands that need a new multixact ID.',
  remedy: 'Vacuum the tables with the oldest relminmxid, and end the oldest transactions.',
  evidence: {
    sql: `select datname, mxid_age(datminmxid), round(100.0 * mxid_age(datminmxid) / 2147483647, 1) as percent
    from pg_database
    order by mxid_age(datminmxid) desc`,
  },
  isOurs: true,
});
