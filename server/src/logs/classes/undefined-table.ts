// Table does not exist: a statement names a table or view that is not there, or that its search_path does not find.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'undefined_table',
  group: 'errors',
  title: 'Table does not exist',
  meaning: 'A statement names a table or view that is not there, or that its search_path does not find.',
  weight: 'info',
  remedy: 'Check the name, the database and search_path; after a release, whether its migrations ran.',
  texts: {
    '42P01': [
      'relation "…" does not exist…',
      'missing FROM-clause entry for table "…"…',
      'table "…" does not exist',
      'view "…" does not exist',
      'sequence "…" does not exist',
      'invalid reference to FROM-clause entry for table "…"…',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42P01'],
  examples: [{ since: 14, line: 'ERROR:  relation "ordres" does not exist at character 15' }],
});
