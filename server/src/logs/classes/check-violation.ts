// Check violation: a value breaks a check constraint, or fits no partition.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'check_violation',
  group: 'errors',
  title: 'Check violation',
  meaning: 'A value breaks a check constraint, or fits no partition.',
  weight: 'info',
  remedy: 'Correct the value; for partitions, create the missing one.',
  texts: {
    '23514': [
      'new row for relation "…" violates check constraint "…"',
      'no partition of relation "…" found for row',
      'check constraint "…" of relation "…" is violated by some row',
      'value for domain … violates check constraint "…"',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['23514'],
  examples: [
    {
      since: 14,
      line: 'ERROR:  new row for relation "orders" violates check constraint "orders_total_check"',
    },
  ],
});
