// Failed sign-in: a client could not sign in: wrong password, unknown role, or no rule in pg_hba.conf.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'authentication_failed',
  group: 'connections',
  title: 'Failed sign-in',
  meaning: 'A client could not sign in: wrong password, unknown role, or no rule in pg_hba.conf.',
  weight: 'warning',
  remedy:
    'Look at the address and the role. Repeated failures of one address are an attack or an application with an old password.',
  texts: {
    '28P01': ['password authentication failed for user "…"'],
    '28000': [
      'connection requires a valid client certificate',
      'role "…" does not exist',
      'role "…" is not permitted to log in',
      'no pg_hba.conf entry for …',
      'pg_hba.conf rejects …',
      '… authentication failed for user "…"',
      'no PostgreSQL user name specified in startup packet',
    ],
  },
  severities: ['FATAL'],
  sqlstates: ['28'],
  examples: [{ since: 14, line: 'FATAL:  password authentication failed for user "app"' }],
});
