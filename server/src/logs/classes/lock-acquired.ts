// Lock wait ended: a session got the lock that it had waited for; the line says how long that took.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'lock_acquired',
  group: 'locks',
  title: 'Lock wait ended',
  meaning: 'A session got the lock that it had waited for; the line says how long that took.',
  weight: 'info',
  remedy: 'See the class lock_wait.',
  texts: { '00000': ['process … acquired … on … after … ms'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { waited_ms: /after ([\d.]+) ms$/ }),
  examples: [{ since: 14, line: 'LOG:  process 4711 acquired ShareLock on transaction 742 after 2400.5 ms' }],
});
