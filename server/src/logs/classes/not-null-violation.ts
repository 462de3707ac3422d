// Not-null violation: a column that must have a value got none.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'not_null_violation',
  group: 'errors',
  title: 'Not-null violation',
  meaning: 'A column that must have a value got none.',
  weight: 'info',
  remedy: 'Give the column a value or a default.',
  texts: {
    '23502': ['null value in column "…" …violates not-null constraint', 'column "…" …contains null values'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['23502'],
  examples: [
    {
      since: 14,
      line: 'ERROR:  null value in column "total" of relation "orders" violates not-null constraint',
    },
  ],
});
