// Deadlock found while waiting: the process that waited found a deadlock; the line of the deadlock itself follows.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'deadlock_while_waiting',
  group: 'locks',
  title: 'Deadlock found while waiting',
  meaning: 'The process that waited found a deadlock; the line of the deadlock itself follows.',
  weight: 'info',
  remedy: 'See the class deadlock.',
  texts: { '00000': ['process … detected deadlock while waiting for … on … after … ms'] },
  severities: ['LOG'],
  examples: [
    {
      since: 14,
      line: 'LOG:  process 4711 detected deadlock while waiting for ShareLock on transaction 742 after 1000.123 ms',
    },
  ],
});
