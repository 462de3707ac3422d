// Temporary files written in an hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'temp_files_created',
  category: 'performance',
  metric: 'pg_stat_database.temp_files_delta',
  operator: '>',
  threshold: 100,
  severity: 'warning',
  isOfWorkload: true,
  namesStatement: 'temporary files',
  title: 'Many temporary files',
  reading: 'Temporary files in the last hour: {value}',
  meaning: 'Sorts and hashes that exceed work_mem spill to disk, which is slower.',
  remedy:
    'Find the statements with log_temp_files or pg_stat_statements (temp_blks_written). Give them an index or more work_mem.',
  evidence: {
    sql: `select datname, temp_files, pg_size_pretty(temp_bytes) as temp_bytes
    from pg_stat_database
    order by temp_files desc`,
  },
});
