// Listening address: PostgreSQL listens on this address or socket.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_listening',
  group: 'server',
  title: 'Listening address',
  meaning: 'PostgreSQL listens on this address or socket.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'listening on IPv4 address "…", port …',
      'listening on IPv6 address "…", port …',
      'listening on Unix socket "…"',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  listening on IPv4 address "127.0.0.1", port 5432' }],
});
