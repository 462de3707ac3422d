// Resources exhausted: the server or a configured limit had nothing left to give.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'resources_exhausted',
  group: 'errors',
  title: 'Resources exhausted',
  meaning: 'The server or a configured limit had nothing left to give.',
  weight: 'critical',
  remedy:
    'Read the text: temp_file_limit, max_locks_per_transaction and max_prepared_transactions are the usual ones.',
  texts: {
    '53200': ['maximum number of prepared transactions reached'],
    '53400': [
      'could not find free replication state, increase …',
      'temporary file size exceeds temp_file_limit (…',
      // From 18 on.
      'temporary file size exceeds "temp_file_limit" (…',
      'out of logical replication worker slots',
      'out of background worker slots',
    ],
  },
  severities: ['ERROR', 'FATAL', 'LOG', 'WARNING'],
  sqlstates: ['53'],
  examples: [{ since: 14, line: 'ERROR:  temporary file size exceeds temp_file_limit (1024kB)' }],
});
