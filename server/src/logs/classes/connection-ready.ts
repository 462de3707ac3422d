// Connection set up: the session is ready; the line says how long that took.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_ready',
  group: 'connections',
  title: 'Connection set up',
  meaning: 'The session is ready; the line says how long that took.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['connection ready: setup total=… ms, …'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { setup_ms: /setup total=([\d.]+) ms/ }),
  examples: [
    {
      since: 18,
      line: 'LOG:  connection ready: setup total=4.313 ms, fork=0.486 ms, authentication=0.126 ms',
    },
  ],
});
