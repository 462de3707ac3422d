// Damaged pages and indexes in the log within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_data_corruption',
  category: 'storage',
  metric: 'server_log.corruption_events',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  title: 'Data corruption',
  reading: 'Log events of data corruption in the last hour: {value}',
  meaning: 'A statement read a damaged page or index. Other data may be damaged too.',
  remedy:
    'Stop writes and copy the data directory. Check the disk and its controller. Find the extent with amcheck and pg_checksums, then restore from a backup.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
