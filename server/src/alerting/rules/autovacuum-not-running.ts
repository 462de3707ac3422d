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
  title: 'Autovacuum overdue',
  joins: 'for',
  reading: 'Autovacuum is overdue by {value}',
  meaning:
    'The table passed its autovacuum threshold and was not vacuumed. Autovacuum is off, too slow or blocked.',
  remedy:
    'Check autovacuum, its workers, its cost limit and the storage parameters of the table. Vacuum the table by hand meanwhile.',
  evidence: {
    sql: `select schemaname, relname, n_live_tup, n_dead_tup, last_vacuum, last_autovacuum
    from pg_stat_all_tables
    order by n_dead_tup desc
    limit 20`,
  },
});
