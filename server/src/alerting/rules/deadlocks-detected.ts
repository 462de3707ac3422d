// Deadlocks within an hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'deadlocks_detected',
  category: 'locks',
  metric: 'pg_stat_database.deadlocks_delta',
  operator: '>',
  threshold: 0,
  severity: 'warning',
  isOfWorkload: true,
  title: 'Deadlocks happened',
  meaning: 'Transactions waited for each other, and the server ended one of them with an error.',
  remedy: 'The log names the statements. Let all transactions take their locks in the same order.',
  evidence: {
    sql: `select datname, deadlocks, stats_reset
    from pg_stat_database
    order by deadlocks desc`,
  },
});
