// Failures of WAL archiving in the log within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_archive_failed',
  category: 'wal',
  metric: 'server_log.archive_failures',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  // By then the statistics of the server say it too, where they do.
  lastsSeconds: 600,
  followsFrom: ['wal_archive_failed'],
  title: 'WAL archiving failures in the log',
  reading: 'Log events of failed archiving in the last hour: {value}',
  meaning: 'Unarchived WAL stays on disk until the disk is full. Backups cannot be restored past it.',
  remedy:
    'Read the event in the Logs tab. Set archive_command or archive_library if it is missing, or run the command as the user of the server.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
