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
  followsFrom: ['checkpoint_warning'],
  title: 'Most checkpoints are forced by WAL',
  meaning:
    'Writes fill max_wal_size before checkpoint_timeout has passed: checkpoints come too often, and each makes the WAL larger.',
  remedy: 'Raise max_wal_size until most checkpoints come by time; a reload is enough.',
  evidence: {
    sql: `select name, setting, unit
    from pg_settings
    where name in ('checkpoint_completion_target', 'checkpoint_timeout', 'max_wal_size')
    order by name`,
  },
  isOurs: true,
});
