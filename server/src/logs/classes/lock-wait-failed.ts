// Lock wait given up: a session gave up its wait for a lock.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'lock_wait_failed',
  group: 'locks',
  title: 'Lock wait given up',
  meaning: 'A session gave up its wait for a lock.',
  weight: 'info',
  remedy: 'See the class lock_wait.',
  texts: { '00000': ['process … failed to acquire … on … after … ms'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { waited_ms: /after ([\d.]+) ms$/ }),
  examples: [
    { since: 14, line: 'LOG:  process 4711 failed to acquire ShareLock on transaction 742 after 2400.5 ms' },
  ],
});
