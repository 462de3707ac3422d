// Column does not exist: a statement names a column that is not there.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'undefined_column',
  group: 'errors',
  title: 'Column does not exist',
  meaning: 'A statement names a column that is not there.',
  weight: 'info',
  remedy: 'Check the name; after a release, whether its migrations ran.',
  texts: {
    '42703': [
      'column … does not exist…',
      'column "…" of relation "…" does not exist…',
      'column reference …',
      'record "…" has no field "…"',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42703'],
  examples: [{ since: 14, line: 'ERROR:  column "totl" does not exist at character 8' }],
});
