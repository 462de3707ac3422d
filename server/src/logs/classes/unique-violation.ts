// Unique violation: a row with this key is there already.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'unique_violation',
  group: 'errors',
  title: 'Unique violation',
  meaning: 'A row with this key is there already.',
  weight: 'info',
  remedy:
    'Use insert … on conflict where two writers are expected; otherwise look for a client that repeats its request.',
  texts: {
    '23505': ['duplicate key value violates unique constraint "…"', 'could not create unique index "…"'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['23505'],
  examples: [{ since: 14, line: 'ERROR:  duplicate key value violates unique constraint "orders_pkey"' }],
});
