// Tables past their autovacuum threshold.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'autovacuum_not_running',
  category: 'maintenance',
  metric: 'table_last_autovacuum_hours',
  operator: '>',
  threshold: 1,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction', 'long_running_transaction'],
  isOfWorkload: true,
  title: 'Autovacuum does not get to a table',
  meaning:
    'The table passed its autovacuum threshold over an hour ago and was not vacuumed: autovacuum is off, too slow, or held back.',
  remedy:
    'Check autovacuum, its workers and its cost limit, and the options of the table; vacuum it by hand meanwhile.',
  evidence: {
    sql: `select schemaname, relname, n_live_tup, n_dead_tup, last_vacuum, last_autovacuum
    from pg_stat_all_tables
    order by n_dead_tup desc
    limit 20`,
  },
});
