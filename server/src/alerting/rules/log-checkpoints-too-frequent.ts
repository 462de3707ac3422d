// Warnings of checkpoints that follow each other too fast, within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_checkpoints_too_frequent',
  category: 'wal',
  metric: 'server_log.checkpoints_too_frequent',
  operator: '>',
  threshold: 5,
  severity: 'warning',
  title: 'Checkpoints too frequent',
  reading: 'Warnings of frequent checkpoints in the last hour: {value}',
  meaning:
    'WAL fills max_wal_size within checkpoint_warning. Each checkpoint adds writes and full-page images.',
  remedy: 'Raise max_wal_size. A reload is enough.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
