// WAL files that could not be archived within an hour.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'wal_archive_failed',
  category: 'wal',
  metric: 'pg_stat_archiver.failed_count_delta',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  title: 'Archiving WAL fails',
  meaning:
    'WAL that cannot be archived stays on disk until that is full, and backups cannot be restored beyond it.',
  remedy:
    "Look into the log for what archive_command or archive_library says; check its target's space and rights.",
  evidence: {
    sql: `select archived_count, last_archived_wal, last_archived_time, failed_count, last_failed_wal, last_failed_time
    from pg_stat_archiver`,
  },
});
