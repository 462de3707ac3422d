// WAL files that could not be archived within an hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'wal_archive_failed',
  category: 'wal',
  metric: 'pg_stat_archiver.failed_count_delta',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  title: 'WAL archiving failures',
  reading: 'Failed archive attempts in the last hour: {value}',
  meaning: 'Unarchived WAL stays on disk until the disk is full. Backups cannot be restored past it.',
  remedy:
    'Check the server log for the error of archive_command or archive_library. Check free space and permissions of the archive target.',
  evidence: {
    sql: `select archived_count, last_archived_wal, last_archived_time, failed_count, last_failed_wal, last_failed_time
    from pg_stat_archiver`,
  },
});
