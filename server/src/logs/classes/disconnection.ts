// Disconnection: a session ended.
import { sessionFigures } from '../figures/session.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'disconnection',
  group: 'connections',
  title: 'Disconnection',
  meaning: 'A session ended.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['disconnection: session time: …'] },
  severities: ['LOG'],
  figures: ({ message }) => sessionFigures(message),
  examples: [
    {
      since: 14,
      line: 'LOG:  disconnection: session time: 0:00:01.204 user=app database=shop host=127.0.0.1 port=40218',
    },
  ],
});
