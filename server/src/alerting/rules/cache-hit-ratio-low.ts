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
  title: 'Many reads miss shared buffers',
  meaning: 'A fifth or more of the blocks wanted in the last hour was not in shared buffers.',
  remedy:
    'Look for statements that read whole tables; give shared_buffers more memory when the data in use are larger.',
  evidence: {
    sql: `select datname, blks_hit, blks_read, round(100.0 * blks_hit / nullif(blks_hit + blks_read, 0), 1) as percent
    from pg_stat_database
    order by blks_read desc`,
  },
});
