// Connection authenticated: the client proved who it is.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_authenticated',
  group: 'connections',
  title: 'Connection authenticated',
  meaning: 'The client proved who it is.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['connection authenticated: …'] },
  severities: ['LOG'],
  examples: [
    {
      since: 14,
      line: 'LOG:  connection authenticated: identity="app" method=scram-sha-256 (/data/pg_hba.conf:1)',
    },
  ],
});
