// Shutdown requested: the server was told to stop; smart waits for sessions, fast ends them.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_stopping',
  group: 'server',
  title: 'Shutdown requested',
  meaning: 'The server was told to stop; smart waits for sessions, fast ends them.',
  weight: 'info',
  remedy:
    'If it was not stopped on purpose, look at what sent the signal: a service manager, a failover tool or an operator.',
  texts: {
    '00000': [
      'abnormal database system shutdown',
      'received fast shutdown request',
      'received smart shutdown request',
      'aborting any active transactions',
      'shutting down',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  received fast shutdown request' }],
});
