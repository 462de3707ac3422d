// Constraint violation: a row breaks another constraint.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'constraint_violation',
  group: 'errors',
  title: 'Constraint violation',
  meaning: 'A row breaks another constraint.',
  weight: 'info',
  remedy: 'Correct the row.',
  texts: { '23P01': ['conflicting key value violates exclusion constraint "…"'] },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['23'],
  examples: [
    { since: 14, line: 'ERROR:  conflicting key value violates exclusion constraint "rooms_during_excl"' },
  ],
});
