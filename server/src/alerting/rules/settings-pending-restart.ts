// Settings that were changed and do not hold yet.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'settings_pending_restart',
  category: 'maintenance',
  metric: 'pg_settings.pending_restart_count',
  operator: '>',
  threshold: 0,
  severity: 'info',
  lastsSeconds: 86400,
  namesObjects: { column: 'name', where: 'pending_restart' },
  joins: ':',
  title: 'Settings pending restart',
  reading: 'Settings pending restart: {value}',
  meaning: 'They changed at least a day ago and take effect at the next restart, planned or not.',
  remedy:
    'Plan the restart, or set them to the values in force again. After a mere reset they are still pending.',
  evidence: {
    sql: `select name, setting, unit, sourcefile, sourceline
    from pg_settings
    where pending_restart
    order by name`,
  },
  isOurs: true,
});
