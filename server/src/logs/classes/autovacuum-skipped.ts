// Autovacuum skipped a table: autovacuum could not lock a table and left it out.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autovacuum_skipped',
  group: 'maintenance',
  title: 'Autovacuum skipped a table',
  meaning: 'Autovacuum could not lock a table and left it out.',
  weight: 'info',
  remedy: 'Often the same table: find who locks it (pg_locks).',
  texts: {
    '55P03': [
      'skipping vacuum of "…" --- lock not available',
      'skipping analyze of "…" --- lock not available',
    ],
    '42P01': [
      'skipping vacuum of "…" --- relation no longer exists',
      'skipping analyze of "…" --- relation no longer exists',
    ],
  },
  examples: [{ since: 14, line: 'LOG:  skipping vacuum of "orders" --- lock not available' }],
});
