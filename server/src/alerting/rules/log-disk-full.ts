// Writes that failed for lack of disk space within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_disk_full',
  category: 'storage',
  metric: 'server_log.disk_full_events',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  title: 'No space left on device',
  reading: 'Failed writes in the last hour: {value}',
  meaning:
    'PostgreSQL could not write a file. Statements fail, and the server stops if pg_wal is on that disk.',
  remedy:
    'Extend the file system or free space. Do not delete files in pg_wal. Look for inactive replication slots, failed archiving and large temporary files.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
