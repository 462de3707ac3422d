// Lock not available: a statement with NOWAIT found its lock taken.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'lock_not_available',
  group: 'locks',
  title: 'Lock not available',
  meaning: 'A statement with NOWAIT found its lock taken.',
  weight: 'info',
  remedy: 'This is what NOWAIT asks for; the application should try again.',
  texts: {
    '55P03': ['could not obtain lock on …'],
    // With log_lock_failures, from 18 on.
    '00000': ['process … could not obtain … on …'],
  },
  sqlstates: ['55P03'],
  examples: [
    { since: 14, line: 'ERROR:  could not obtain lock on row in relation "orders"' },
    { since: 18, line: 'LOG:  process 4711 could not obtain ShareLock on transaction 742' },
  ],
});
