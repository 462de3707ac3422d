// Checkpoints that were requested within an hour, not timed.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'checkpoint_warning',
  category: 'wal',
  metric: 'pg_stat_checkpointer.checkpoints_req_delta',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  followsFrom: ['log_checkpoints_too_frequent'],
  title: 'Frequent requested checkpoints',
  reading: 'Requested checkpoints in the last hour: {value}',
  meaning:
    'WAL volume triggers them before checkpoint_timeout. They write more and add full-page images to WAL.',
  remedy: 'Raise max_wal_size. A reload is enough.',
  evidence: {
    sql: `select name, setting, unit
    from pg_settings
    where name in ('max_wal_size', 'checkpoint_timeout', 'checkpoint_completion_target')
    order by name`,
  },
});
