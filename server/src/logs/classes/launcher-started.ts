// Launcher started or stopped: a process that starts others begins or ends its work.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'launcher_started',
  group: 'server',
  title: 'Launcher started or stopped',
  meaning: 'A process that starts others begins or ends its work.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'autovacuum launcher started',
      'autovacuum launcher shutting down',
      'logical replication launcher started',
      'logical replication launcher shutting down',
      'pg_cron scheduler started',
    ],
    '57P01': [
      'terminating autovacuum process due to administrator command',
      'terminating logical replication worker due to administrator command',
    ],
  },
  examples: [{ since: 14, line: 'LOG:  autovacuum launcher started' }],
});
