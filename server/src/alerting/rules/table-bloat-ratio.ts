// Dead rows against live rows of a table.
import { rule as autovacuumNotRunning } from './autovacuum-not-running.ts';
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
  title: 'Too many dead tuples',
  joins: 'in',
  reading: 'Dead tuples are {value} of the live tuples',
  meaning: 'Dead tuples take space, and every scan reads them until vacuum removes them.',
  remedy:
    'Vacuum the table. If that changes nothing, look for old transactions, replication slots or standbys that hold back vacuum.',
  evidence: autovacuumNotRunning.evidence,
});
