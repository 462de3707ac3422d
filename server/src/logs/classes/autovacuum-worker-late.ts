// Autovacuum worker started too late: a worker of autovacuum was given up before it had started.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autovacuum_worker_late',
  group: 'maintenance',
  title: 'Autovacuum worker started too late',
  meaning:
    'A worker had not started within a minute (autovacuum_naptime where that is shorter), so it was given up.',
  weight: 'warning',
  remedy:
    'The launcher tries again. If it happens often, look at what slows the machine down then: load, memory, storage.',
  texts: {
    '01000': [
      'worker took too long to start; canceled',
      'autovacuum worker took too long to start; canceled',
      'autovacuum worker started without a worker entry',
    ],
  },
  examples: [
    { since: 14, line: 'WARNING:  worker took too long to start; canceled' },
    { since: 15, line: 'WARNING:  autovacuum worker took too long to start; canceled' },
  ],
});
