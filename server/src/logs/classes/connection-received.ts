// Connection received: a client opened a connection; it is not signed in yet.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_received',
  group: 'connections',
  title: 'Connection received',
  meaning: 'A client opened a connection; it is not signed in yet.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['connection received: host=…'] },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  connection received: host=127.0.0.1 port=40218' }],
});
