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
  title: 'Settings wait for a restart',
  meaning:
    'They were changed a day ago or longer and hold from the next restart on, whoever makes that and for whatever reason.',
  remedy:
    'Plan the restart, or set them to the values in force again; after a mere reset they are still shown as pending.',
  evidence: {
    sql: `select name, setting, unit, sourcefile, sourceline
    from pg_settings
    where pending_restart
    order by name`,
  },
  isOurs: true,
});
