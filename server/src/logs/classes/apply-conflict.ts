// Apply conflict: a change of a publisher did not fit the rows of this server.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'apply_conflict',
  group: 'replication',
  title: 'Apply conflict',
  meaning: 'A change of a publisher did not fit the rows of this server.',
  weight: 'warning',
  remedy: 'Find who writes the same rows on both sides; the DETAIL names the rows.',
  texts: { any: ['conflict detected on relation "…": conflict=…'] },
  examples: [
    { since: 18, line: 'LOG:  conflict detected on relation "public.orders": conflict=update_missing' },
  ],
});
