// Server not ready: a client connected while the server was starting, stopping or in recovery.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_not_ready',
  group: 'connections',
  title: 'Server not ready',
  meaning: 'A client connected while the server was starting, stopping or in recovery.',
  weight: 'warning',
  remedy: 'Clients should try again after a pause. If it lasts, look at the lines of recovery.',
  texts: {
    '57P03': [
      'the database system is starting up',
      'the database system is shutting down',
      'the database system is in recovery mode',
      'the database system is not yet accepting connections',
      'the database system is not accepting connections',
    ],
  },
  sqlstates: ['57P03'],
  examples: [{ since: 14, line: 'FATAL:  the database system is starting up' }],
});
