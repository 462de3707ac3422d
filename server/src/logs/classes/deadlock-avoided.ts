// Deadlock avoided: PostgreSQL changed the order of waiting processes, so that no deadlock came.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'deadlock_avoided',
  group: 'locks',
  title: 'Deadlock avoided',
  meaning: 'PostgreSQL changed the order of waiting processes, so that no deadlock came.',
  weight: 'info',
  remedy: 'The same mending as for deadlocks: one order of locks.',
  texts: { '00000': ['process … avoided deadlock for … on … by rearranging queue order after … ms'] },
  severities: ['LOG'],
  examples: [
    {
      since: 14,
      line: 'LOG:  process 4711 avoided deadlock for ShareLock on transaction 742 by rearranging queue order after 1000.123 ms',
    },
  ],
});
