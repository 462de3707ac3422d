// Autoanalyze run: autovacuum refreshed the statistics of a table.
import { vacuumedTable, vacuumFigures } from '../figures/vacuum.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'autoanalyze',
  group: 'maintenance',
  title: 'Autoanalyze run',
  meaning: 'Autovacuum refreshed the statistics of a table.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['automatic analyze of table "…"…'] },
  severities: ['LOG'],
  figures: ({ message }) => vacuumFigures(message),
  relation: ({ message }) => vacuumedTable(message),
  examples: [{ since: 14, line: 'LOG:  automatic analyze of table "shop.public.orders"' }],
});
