// Checkpoints that were due by WAL instead of by time, in the last hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'checkpoints_forced',
  category: 'wal',
  metric: 'pg_stat_checkpointer.checkpoints_req_percent',
  operator: '>',
  threshold: 75,
  severity: 'warning',
  // A single one, as before a backup, is out of the last hour by then.
  lastsSeconds: 5400,
  followsFrom: ['checkpoint_warning', 'log_checkpoints_too_frequent'],
  title: 'High share of requested checkpoints',
  reading: '{value} of checkpoints in the last hour were requested, not timed',
  meaning:
    'WAL fills max_wal_size before checkpoint_timeout has passed. Frequent checkpoints write more full-page images.',
  remedy: 'Raise max_wal_size until most checkpoints are timed. A reload is enough.',
  evidence: {
    sql: `select name, setting, unit
    from pg_settings
    where name in ('checkpoint_completion_target', 'checkpoint_timeout', 'max_wal_size')
    order by name`,
  },
  isOurs: true,
});
