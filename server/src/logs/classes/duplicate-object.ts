// Object exists already: a statement creates what is there already.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'duplicate_object',
  group: 'errors',
  title: 'Object exists already',
  meaning: 'A statement creates what is there already.',
  weight: 'info',
  remedy: 'Migrations that run twice cause it; use if not exists, or one runner of migrations.',
  texts: {
    '42P07': ['relation "…" already exists'],
    '42710': [
      'role "…" already exists',
      'type "…" already exists',
      'extension "…" already exists',
      'constraint "…" for relation "…" already exists',
      'replication slot "…" already exists',
      'publication "…" already exists',
      'subscription "…" already exists',
      'trigger "…" for relation "…" already exists',
      'policy "…" for table "…" already exists',
    ],
    '42701': ['column "…" of relation "…" already exists', 'column "…" specified more than once'],
    '42712': ['table name "…" specified more than once'],
    '42P06': ['schema "…" already exists'],
    '42P04': ['database "…" already exists'],
    '42723': ['function "…" already exists with same argument types'],
  },
  severities: ['ERROR'],
  sqlstates: ['42P07', '42710', '42701', '42P06', '42P04', '42723', '42P05', '42P03', '42712'],
  examples: [{ since: 14, line: 'ERROR:  relation "orders" already exists' }],
});
