// Server stopped: the server ended in order.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_stopped',
  group: 'server',
  title: 'Server stopped',
  meaning: 'The server ended in order.',
  weight: 'info',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'database system is shut down',
      'database system was shut down at …',
      'database system was shut down in recovery at …',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  database system is shut down' }],
});
