// Dead rows against live rows of a table.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'table_bloat_ratio',
  category: 'storage',
  metric: 'table_bloat_ratio',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  followsFromServer: ['idle_in_transaction', 'long_running_transaction'],
  isOfWorkload: true,
  title: 'A table has many dead rows for its live ones',
  meaning: 'Dead rows take space and are read by every scan; they are there until vacuum has removed them.',
  remedy:
    'Vacuum the table. If that changes nothing, look for old transactions, slots or standbys that hold the oldest row version back.',
  evidence: {
    sql: `select schemaname, relname, n_live_tup, n_dead_tup, last_vacuum, last_autovacuum
    from pg_stat_all_tables
    order by n_dead_tup desc
    limit 20`,
  },
});
