// PANIC in the log within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_panic',
  category: 'availability',
  metric: 'server_log.panics',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  followsFrom: ['log_disk_full', 'log_data_corruption'],
  title: 'PANIC in the server log',
  reading: 'PANIC events in the last hour: {value}',
  meaning: 'PostgreSQL met a condition that it could not continue with. It ended all sessions.',
  remedy:
    'Read the event in the Logs tab. Usual causes are a full disk, a damaged file and a failed fsync. Copy the data directory before you start the server again and again.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
