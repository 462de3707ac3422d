// Failed sign-ins within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_failed_sign_ins',
  category: 'connections',
  metric: 'server_log.failed_sign_ins',
  operator: '>',
  threshold: 20,
  severity: 'warning',
  title: 'Failed sign-ins',
  reading: 'Failed sign-ins in the last hour: {value}',
  meaning: 'An application has an outdated password, or someone guesses passwords.',
  remedy:
    'Find the role and the address in the Logs tab. Update the password of the application, or block the address in pg_hba.conf.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
