// How full each mounted file system is.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'disk_usage_percent',
  category: 'storage',
  metric: 'pg_sys_disk_info.used_percent',
  operator: '>',
  threshold: 80,
  severity: 'warning',
  followsFrom: ['disk_usage_critical'],
  title: 'A disk fills up',
  meaning: 'When the disk of the data directory or of pg_wal is full, the server stops.',
  remedy:
    'Free space or enlarge the disk. Look for WAL kept by slots or failed archiving, old logs, and temporary files; never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
});
