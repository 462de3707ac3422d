// Standby promoted: the server became a primary.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'promoted',
  group: 'replication',
  title: 'Standby promoted',
  meaning: 'The server became a primary.',
  weight: 'warning',
  remedy: 'Make sure that the old primary is down or follows this one, or two servers take writes.',
  texts: {
    '00000': [
      'received promote request',
      'selected new timeline ID: …',
      'archive recovery complete',
      'promote trigger file found: …',
      // Up to 11.
      'trigger file found: …',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  received promote request' }],
});
