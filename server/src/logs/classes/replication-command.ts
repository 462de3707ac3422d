// Replication command: a standby, a backup or a subscriber asked the server for something.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'replication_command',
  group: 'replication',
  title: 'Replication command',
  meaning: 'A standby, a backup or a subscriber asked the server for something.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'received replication command: …',
      'starting logical decoding for slot "…"',
      'logical decoding found consistent point at …',
      'logical decoding found initial starting point at …',
      'acquired physical replication slot "…"',
      'released physical replication slot "…"',
      'acquired logical replication slot "…"',
      'released logical replication slot "…"',
    ],
  },
  severities: ['LOG', 'DEBUG'],
  examples: [{ since: 14, line: 'LOG:  logical decoding found consistent point at 0/16B3748' }],
});
