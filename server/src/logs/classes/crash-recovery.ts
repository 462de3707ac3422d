// Crash recovery: the server was not shut down in order before: it crashed, was killed, or the machine lost power.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'crash_recovery',
  group: 'server',
  title: 'Crash recovery',
  meaning: 'The server was not shut down in order before: it crashed, was killed, or the machine lost power.',
  weight: 'critical',
  remedy:
    'Look for the lines before the restart: a process that was killed, out of memory, a full disk. Check the kernel log for the same minute.',
  texts: {
    '00000': [
      'database system was not properly shut down; automatic recovery in progress',
      'database system was interrupted while in recovery at …',
      'database system was interrupted while in recovery at log time …',
      'database system shutdown was interrupted; last known up at …',
      'crash recovery starts in timeline …',
    ],
  },
  severities: ['LOG'],
  examples: [
    { since: 14, line: 'LOG:  database system was not properly shut down; automatic recovery in progress' },
  ],
});
