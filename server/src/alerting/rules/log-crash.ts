// Crashed processes and crash recovery within an hour.
import { LOG_PLACE } from './log-evidence.ts';
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'log_crash',
  category: 'availability',
  metric: 'server_log.crash_events',
  operator: '>',
  threshold: 0,
  severity: 'critical',
  followsFrom: ['log_panic'],
  title: 'Server crash',
  reading: 'Log events of a crash in the last hour: {value}',
  meaning: 'A server process crashed or was killed, or the server was not shut down. All sessions ended.',
  remedy:
    'Read the events in the Logs tab. Signal 9 is usually the out-of-memory killer: lower work_mem or max_connections. Signals 6 and 11 are bugs: install the latest minor release.',
  evidence: { sql: LOG_PLACE },
  isOurs: true,
});
