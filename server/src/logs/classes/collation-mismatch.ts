// Collation version mismatch: the collation library of the operating system changed; indexes on texts may be in the wrong order.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'collation_mismatch',
  group: 'server',
  title: 'Collation version mismatch',
  meaning:
    'The collation library of the operating system changed; indexes on texts may be in the wrong order.',
  weight: 'warning',
  remedy: 'Reindex the indexes on texts, then: alter database … refresh collation version.',
  texts: { '01000': ['database "…" has a collation version mismatch', 'collation "…" has version mismatch'] },
  severities: ['WARNING'],
  examples: [{ since: 15, line: 'WARNING:  database "shop" has a collation version mismatch' }],
});
