// Foreign data error: a foreign server could not be asked, or gave an error.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'foreign_data_error',
  group: 'errors',
  title: 'Foreign data error',
  meaning: 'A foreign server could not be asked, or gave an error.',
  weight: 'warning',
  remedy: 'Check the foreign server, its options and user mappings.',
  texts: { '08001': ['could not connect to server "…"'] },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['HV', '08001'],
  examples: [{ since: 14, line: 'ERROR:  could not connect to server "archive"' }],
});
