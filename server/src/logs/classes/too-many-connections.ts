// Too many connections: a client was refused, since a limit of connections of the server, the role or the database is reached.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'too_many_connections',
  group: 'connections',
  title: 'Too many connections',
  meaning:
    'A client was refused, since a limit of connections of the server, the role or the database is reached.',
  weight: 'critical',
  remedy:
    'Use a connection pooler, close idle sessions, or raise max_connections or the limit of the role or database.',
  texts: {
    '53300': [
      'sorry, too many clients already',
      'remaining connection slots are reserved for …',
      'too many connections for role "…"',
      'too many connections for database "…"',
      'number of requested standby connections exceeds …',
      'all replication slots are in use',
    ],
  },
  sqlstates: ['53300'],
  examples: [
    { since: 14, line: 'FATAL:  sorry, too many clients already' },
    {
      since: 14,
      line: 'FATAL:  remaining connection slots are reserved for non-replication superuser connections',
    },
    {
      since: 16,
      line: 'FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute',
    },
  ],
});
