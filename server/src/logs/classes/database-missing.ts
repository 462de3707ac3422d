// Connection to a database that does not exist: a client asked for a database that is not on this server.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'database_missing',
  group: 'connections',
  title: 'Connection to a database that does not exist',
  meaning: 'A client asked for a database that is not on this server.',
  weight: 'warning',
  remedy: 'Correct the name in the client, or create the database.',
  texts: { '3D000': ['database "…" does not exist'] },
  severities: ['FATAL'],
  examples: [{ since: 14, line: 'FATAL:  database "shpo" does not exist' }],
});
