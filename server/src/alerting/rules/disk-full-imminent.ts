// A disk that fills up within two days, at the pace of the last days.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'disk_full_imminent',
  category: 'storage',
  metric: 'pg_sys_disk_info.days_left',
  operator: '<',
  threshold: 2,
  severity: 'critical',
  // Found twice in a row: one odd day is no date.
  lastsSeconds: 10_800,
  followsFrom: ['disk_usage_critical'],
  title: 'Disk full imminent',
  joins: ':',
  reading: 'Disk is full in {value} at the current growth rate',
  meaning: 'A full data directory or pg_wal stops the server.',
  remedy:
    'Free space or enlarge the disk today. Look for WAL kept by replication slots or failed archiving, old logs and recent imports. Never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
  isOurs: true,
});
