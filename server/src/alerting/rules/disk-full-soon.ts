// A disk that fills up within a week, at the pace of the last days.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'disk_full_soon',
  category: 'storage',
  metric: 'pg_sys_disk_info.days_left',
  operator: '<',
  threshold: 7,
  severity: 'warning',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['disk_full_imminent', 'disk_usage_critical'],
  title: 'Disk full soon',
  joins: ':',
  reading: 'Disk is full in {value} at the current growth rate',
  meaning: 'A full data directory or pg_wal stops the server.',
  remedy:
    'Look at what grows: tables, WAL kept by replication slots or failed archiving, logs, backups. Free space or enlarge the disk before that day. Never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
  isOurs: true,
});
