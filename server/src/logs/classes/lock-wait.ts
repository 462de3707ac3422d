// Lock wait: a session has waited for a lock for longer than deadlock_timeout.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'lock_wait',
  group: 'locks',
  title: 'Lock wait',
  meaning: 'A session has waited for a lock for longer than deadlock_timeout.',
  weight: 'warning',
  remedy:
    'The DETAIL names the process that holds the lock. Shorten its transaction; look for schema changes at busy hours.',
  texts: { '00000': ['process … still waiting for … on … after … ms'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { waited_ms: /after ([\d.]+) ms$/ }),
  examples: [
    {
      since: 14,
      line: 'LOG:  process 4711 still waiting for ShareLock on transaction 742 after 1000.123 ms',
    },
  ],
});
