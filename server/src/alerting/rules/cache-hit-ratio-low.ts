// Blocks found in shared buffers, in the last hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'cache_hit_ratio_low',
  category: 'queries',
  metric: 'pg_stat_database.cache_hit_ratio',
  operator: '<',
  threshold: 80,
  severity: 'warning',
  isOfWorkload: true,
  title: 'Low cache hit ratio',
  reading: 'Cache hit ratio of the last hour is {value}',
  meaning: 'Blocks missing from shared buffers are read from the operating system cache or from disk.',
  remedy:
    'Look for statements with large sequential scans. Raise shared_buffers if the working set is larger.',
  evidence: {
    sql: `select datname, blks_hit, blks_read, round(100.0 * blks_hit / nullif(blks_hit + blks_read, 0), 1) as percent
    from pg_stat_database
    order by blks_read desc`,
  },
});
