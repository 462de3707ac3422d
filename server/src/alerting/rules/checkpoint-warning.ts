// Checkpoints that were requested within an hour, not timed.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'checkpoint_warning',
  category: 'wal',
  metric: 'pg_stat_checkpointer.checkpoints_req_delta',
  operator: '>',
  threshold: 50,
  severity: 'warning',
  title: 'Checkpoints are forced often',
  meaning:
    'Checkpoints that are forced by much WAL, and not by time, write more and make more full page images.',
  remedy: 'Raise max_wal_size.',
  evidence: {
    sql: `select name, setting, unit
    from pg_settings
    where name in ('max_wal_size', 'checkpoint_timeout', 'checkpoint_completion_target')
    order by name`,
  },
});
