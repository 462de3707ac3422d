// Ended from outside: a statement or session was ended from outside.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'operator_intervention',
  group: 'errors',
  title: 'Ended from outside',
  meaning: 'A statement or session was ended from outside.',
  weight: 'warning',
  remedy: 'Read the text.',
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['57'],
  examples: [{ since: 14, line: 'ERROR:  57000: operator intervention' }],
});
