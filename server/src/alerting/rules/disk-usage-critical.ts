// A file system that is about to be full.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'disk_usage_critical',
  category: 'storage',
  metric: 'pg_sys_disk_info.used_percent',
  operator: '>',
  threshold: 95,
  severity: 'critical',
  title: 'Disk almost full',
  joins: ':',
  reading: 'Disk usage is {value}',
  meaning: 'A full data directory or pg_wal stops the server.',
  remedy:
    'Free space or enlarge the disk. Look for WAL kept by replication slots or failed archiving, old logs and temporary files. Never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
});
