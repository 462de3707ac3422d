// Object does not exist: a statement names a type, role, schema or other object that is not there.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'undefined_object',
  group: 'errors',
  title: 'Object does not exist',
  meaning: 'A statement names a type, role, schema or other object that is not there.',
  weight: 'info',
  remedy: 'Check the name.',
  texts: {
    '42704': [
      'type "…" does not exist…',
      'language "…" does not exist',
      'role "…" does not exist',
      'index "…" does not exist',
      'constraint "…" … does not exist',
      'extension "…" does not exist',
      'publication "…" does not exist',
      'subscription "…" does not exist',
      'unrecognized configuration parameter "…"',
      'replication slot "…" does not exist',
      'trigger "…" for …does not exist',
      'collation "…" … does not exist…',
    ],
    '3F000': ['schema "…" does not exist…', 'no schema has been selected to create in…'],
    '3D000': ['database "…" does not exist'],
    '42P02': ['there is no parameter $…'],
  },
  severities: ['ERROR'],
  sqlstates: ['42704', '3F000', '3D000', '42P02'],
  examples: [{ since: 14, line: 'ERROR:  schema "shpo" does not exist' }],
});
