// Blocks that were not what was written.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'checksum_failures',
  category: 'storage',
  metric: 'pg_stat_database.checksum_failures_total',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  title: 'Blocks have a wrong checksum',
  meaning:
    'Data on the disk are not what the server wrote: the disk, its controller or the memory is faulty. It stays until the statistics are reset.',
  remedy:
    'Stop writing, take a copy of the files, find the blocks in the log, restore them from a backup; then reset with select pg_stat_reset().',
  evidence: {
    sql: `select datname, checksum_failures, checksum_last_failure, stats_reset
    from pg_stat_database
    where checksum_failures > 0
    order by checksum_last_failure desc`,
  },
  isOurs: true,
});
