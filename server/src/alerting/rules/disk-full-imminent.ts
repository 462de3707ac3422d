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
  title: 'A disk will be full tomorrow or the day after',
  meaning:
    'As it filled up in the last days, it will be full within two days, however much is free now; when the disk of the data directory or of pg_wal is full, the server stops.',
  remedy:
    'Free space or enlarge the disk today. Look for WAL kept by slots or failed archiving, old logs, and what was loaded or copied there; never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
  isOurs: true,
});
