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
  title: 'A disk will be full within days',
  meaning:
    'As it filled up in the last days, it will be full then; when the disk of the data directory or of pg_wal is full, the server stops. A week is time to enlarge it at leisure.',
  remedy:
    'Look at what grows: tables, WAL kept by slots or failed archiving, logs, backups. Free space or enlarge the disk before that day; never delete files in pg_wal by hand.',
  evidence: { shell: 'df -h' },
  isOurs: true,
});
