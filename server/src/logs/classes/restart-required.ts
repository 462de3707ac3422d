// Setting needs a restart: a changed setting takes effect only after the server is restarted.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'restart_required',
  group: 'server',
  title: 'Setting needs a restart',
  meaning: 'A changed setting takes effect only after the server is restarted.',
  weight: 'warning',
  remedy:
    'Plan a restart, or take the change back: select name, setting from pg_settings where pending_restart.',
  texts: { '55P02': ['parameter "…" cannot be changed without restarting the server'] },
  severities: ['LOG'],
  examples: [
    { since: 14, line: 'LOG:  parameter "shared_buffers" cannot be changed without restarting the server' },
  ],
});
