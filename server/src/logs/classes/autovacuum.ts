// Autovacuum run: autovacuum cleaned a table.
import { vacuumedTable, vacuumFigures } from '../figures/vacuum.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autovacuum',
  group: 'maintenance',
  title: 'Autovacuum run',
  meaning: 'Autovacuum cleaned a table.',
  weight: 'normal',
  remedy:
    'Runs that take long, or that remove nothing, need a look: dead tuples not yet removable are held by an old transaction.',
  texts: { '00000': ['automatic vacuum of table "…": …', 'automatic aggressive vacuum of table "…": …'] },
  severities: ['LOG'],
  figures: ({ message }) => vacuumFigures(message),
  relation: ({ message }) => vacuumedTable(message),
  examples: [
    { since: 14, line: 'LOG:  automatic vacuum of table "shop.public.orders": index scans: 1' },
    { since: 15, line: 'LOG:  automatic vacuum of table "shop.public.orders": index scans: 0' },
  ],
});
