// Session terminated: a session was ended by pg_terminate_backend or by the shutdown of the server.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'session_terminated',
  group: 'connections',
  title: 'Session terminated',
  meaning: 'A session was ended by pg_terminate_backend or by the shutdown of the server.',
  weight: 'warning',
  remedy: 'Away from a shutdown, find out who ended it.',
  texts: {
    '57P01': [
      'canceling the wait for synchronous replication and terminating connection due to administrator command',
      'terminating connection due to administrator command',
      'terminating background worker "…" due to administrator command',
      'terminating walreceiver process due to administrator command',
      'terminating parallel worker due to administrator command',
    ],
    '57P04': ['terminating connection due to conflict with recovery'],
  },
  severities: ['FATAL', 'WARNING'],
  sqlstates: ['57P01', '57P04'],
  examples: [{ since: 14, line: 'FATAL:  terminating connection due to administrator command' }],
});
