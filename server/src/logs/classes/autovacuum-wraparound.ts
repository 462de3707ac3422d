// Autovacuum to prevent wraparound: autovacuum had to clean a table, since its transaction ids are old; it does not yield to locks.
import { vacuumedTable, vacuumFigures } from '../figures/vacuum.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autovacuum_wraparound',
  group: 'maintenance',
  title: 'Autovacuum to prevent wraparound',
  meaning: 'Autovacuum had to clean a table, since its transaction ids are old; it does not yield to locks.',
  weight: 'warning',
  remedy:
    'Look at autovacuum_freeze_max_age and at what held autovacuum back: long transactions, replication slots, prepared transactions.',
  texts: {
    '00000': [
      'automatic vacuum to prevent wraparound of table "…": …',
      'automatic aggressive vacuum to prevent wraparound of table "…": …',
    ],
  },
  severities: ['LOG'],
  figures: ({ message }) => vacuumFigures(message),
  relation: ({ message }) => vacuumedTable(message),
  examples: [
    {
      since: 14,
      line: 'LOG:  automatic aggressive vacuum to prevent wraparound of table "shop.public.orders": index scans: 0',
    },
  ],
});
