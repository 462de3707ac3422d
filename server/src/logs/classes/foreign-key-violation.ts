// Foreign key violation: a row refers to one that is not there, or one that others refer to was to be deleted.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'foreign_key_violation',
  group: 'errors',
  title: 'Foreign key violation',
  meaning: 'A row refers to a missing row, or a row that others refer to was to be deleted.',
  weight: 'info',
  remedy: 'Write and delete rows in the order of their references.',
  texts: {
    '23503': [
      'insert or update on table "…" violates foreign key constraint "…"',
      'update or delete on table "…" violates foreign key constraint "…" on table "…"',
      'update or delete on table "…" violates RESTRICT setting of foreign key constraint "…" on table "…"',
    ],
    '23001': [
      'update or delete on table "…" violates RESTRICT setting of foreign key constraint "…" on table "…"',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['23503', '23001'],
  examples: [
    {
      since: 14,
      line: 'ERROR:  insert or update on table "lines" violates foreign key constraint "lines_order_id_fkey"',
    },
  ],
});
