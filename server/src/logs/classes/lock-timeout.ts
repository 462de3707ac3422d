// Lock timeout: a statement was cancelled, since it waited for a lock for longer than lock_timeout.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'lock_timeout',
  group: 'locks',
  title: 'Lock timeout',
  meaning: 'A statement was cancelled, since it waited for a lock for longer than lock_timeout.',
  weight: 'warning',
  remedy: 'Find what held the lock; repeat schema changes at a calmer time.',
  texts: { '55P03': ['canceling statement due to lock timeout'] },
  examples: [{ since: 14, line: 'ERROR:  canceling statement due to lock timeout' }],
});
