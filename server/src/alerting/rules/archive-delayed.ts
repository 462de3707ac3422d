// How long finished WAL has waited to be archived.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'archive_delayed',
  category: 'wal',
  metric: 'pg_wal_directory.archive_wait_seconds',
  operator: '>',
  threshold: 1800,
  severity: 'warning',
  title: 'WAL archiving delay',
  reading: 'Oldest unarchived WAL file has waited {value}',
  meaning: 'Backups cannot be restored past the last archived WAL. Unarchived WAL stays on disk.',
  remedy:
    'Check that archive_command or archive_library is fast enough and does not hang. Check the server log and the archive target.',
  evidence: {
    sql: `select archived_count, last_archived_wal, last_archived_time, now() - last_archived_time as since, failed_count, last_failed_wal,
      last_failed_time
    from pg_stat_archiver`,
  },
  isOurs: true,
});
