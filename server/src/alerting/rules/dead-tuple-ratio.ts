// Dead rows of all rows, in tables of 1,000 rows or more.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'dead_tuple_ratio',
  category: 'maintenance',
  metric: 'pg_stat_all_tables.dead_tuple_percent',
  operator: '>',
  threshold: 20,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction', 'long_running_transaction'],
  isOfWorkload: true,
  title: 'High share of dead tuples',
  joins: 'in',
  reading: '{value} of the tuples are dead',
  meaning: 'Scans read dead tuples, and the table keeps growing.',
  remedy: 'Vacuum the table. For large tables, lower autovacuum_vacuum_scale_factor.',
  evidence: {
    sql: `select schemaname, relname, n_live_tup, n_dead_tup, last_vacuum, last_autovacuum
    from pg_stat_all_tables
    order by n_dead_tup desc
    limit 20`,
  },
});
