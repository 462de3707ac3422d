// Autovacuum cancelled: autovacuum gave way to a session that wanted a lock on its table.
import { vacuumedTable } from '../figures/vacuum.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autovacuum_cancelled',
  group: 'maintenance',
  title: 'Autovacuum cancelled',
  meaning: 'Autovacuum gave way to a session that wanted a lock on its table.',
  weight: 'warning',
  remedy:
    'If it is the same table each time, find the statement that locks it, and vacuum by hand at a calm hour.',
  texts: { '57014': ['canceling autovacuum task'] },
  relation: ({ context }) => vacuumedTable(context),
  examples: [{ since: 14, line: 'ERROR:  canceling autovacuum task' }],
});
