// Server ready: PostgreSQL accepts connections from here on.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_ready',
  group: 'server',
  title: 'Server ready',
  meaning: 'PostgreSQL accepts connections from here on.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'database system is ready to accept connections',
      'database system is ready to accept read-only connections',
      'database system is ready to accept read only connections',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  database system is ready to accept connections' }],
});
