// Dead rows of all rows, in tables of 1,000 rows or more.
import { rule as autovacuumNotRunning } from './autovacuum-not-running.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'dead_tuple_ratio',
  category: 'maintenance',
  metric: 'pg_stat_all_tables.dead_tuple_percent',
  operator: '>',
  threshold: 20,
  severity: 'warning',
  followsFrom: ['table_bloat_ratio'],
  followsFromServer: ['idle_in_transaction', 'long_running_transaction'],
  isOfWorkload: true,
  title: 'High share of dead tuples',
  joins: 'in',
  reading: '{value} of the tuples are dead',
  meaning: 'Scans read dead tuples, and the table keeps growing.',
  remedy: 'Vacuum the table. For large tables, lower autovacuum_vacuum_scale_factor.',
  evidence: autovacuumNotRunning.evidence,
});
