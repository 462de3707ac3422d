// Deadlock: two or more transactions waited for each other; PostgreSQL ended one of them.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'deadlock',
  group: 'locks',
  title: 'Deadlock',
  meaning: 'Two or more transactions waited for each other; PostgreSQL ended one of them.',
  weight: 'warning',
  remedy:
    'Let all transactions lock rows and tables in the same order, keep them short, and repeat the one that was ended.',
  texts: { '40P01': ['deadlock detected'] },
  sqlstates: ['40P01'],
  examples: [{ since: 14, line: 'ERROR:  deadlock detected' }],
});
