// Database refuses connections: the database does not accept connections, or the role may not connect to it.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'database_refuses',
  group: 'connections',
  title: 'Database refuses connections',
  meaning: 'The database does not accept connections, or the role may not connect to it.',
  weight: 'warning',
  remedy: 'Look at datallowconn in pg_database and at grants: grant connect on database … to ….',
  texts: {
    '55000': ['database "…" is not currently accepting connections'],
    '42501': ['permission denied for database "…"'],
    '57P03': ['cannot connect to invalid database "…"'],
  },
  severities: ['FATAL'],
  examples: [{ since: 14, line: 'FATAL:  database "template0" is not currently accepting connections' }],
});
