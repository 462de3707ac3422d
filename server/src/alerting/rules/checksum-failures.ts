// Blocks that were not what was written.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'checksum_failures',
  category: 'storage',
  metric: 'pg_stat_database.checksum_failures_total',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  followsFromServer: ['log_data_corruption'],
  title: 'Data checksum failures',
  reading: 'Checksum failures since the statistics were reset: {value}',
  meaning:
    'Data on disk differ from what PostgreSQL wrote. The disk, its controller or memory is faulty. The alert stays until the statistics are reset, and for shared catalogs for 7 days.',
  remedy:
    'Stop writes and copy the data files. Find the damaged blocks in the server log. Restore them from a backup, then run select pg_stat_reset().',
  evidence: {
    sql: `select datname, checksum_failures, checksum_last_failure, stats_reset
    from pg_stat_database
    where checksum_failures > 0
    order by checksum_last_failure desc`,
  },
  isOurs: true,
});
