// Deadlocks within an hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'deadlocks_detected',
  category: 'locks',
  metric: 'pg_stat_database.deadlocks_delta',
  operator: '>',
  threshold: 0,
  severity: 'warning',
  followsFromServer: ['log_deadlocks_per_minute'],
  isOfWorkload: true,
  namesStatement: 'deadlocks',
  title: 'Deadlocks',
  reading: 'Deadlocks in the last hour: {value}',
  meaning: 'Transactions waited for each other, and PostgreSQL cancelled one of them with an error.',
  remedy: 'The server log names the statements. Take locks in the same order in all transactions.',
  evidence: {
    sql: `select datname, deadlocks, stats_reset
    from pg_stat_database
    order by deadlocks desc`,
  },
});
