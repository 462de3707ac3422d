// Connection authorized: the client signed in.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_authorized',
  group: 'connections',
  title: 'Connection authorized',
  meaning: 'The client signed in.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['connection authorized: user=…', 'replication connection authorized: user=…'] },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  connection authorized: user=app database=shop' }],
});
