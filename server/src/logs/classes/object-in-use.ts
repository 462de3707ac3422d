// Object in the wrong state: an object is in use, or not in the state that the statement needs.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'object_in_use',
  group: 'errors',
  title: 'Object in the wrong state',
  meaning: 'An object is in use, or not in the state that the statement needs.',
  weight: 'info',
  remedy: 'End the sessions that use it, then repeat.',
  texts: {
    '55006': [
      'source database "…" is being accessed by other users',
      'database "…" is being accessed by other users',
      'cannot … because it is being used by active queries in this session',
      'replication slot "…" is active for PID …',
      'cannot drop the currently open database',
    ],
    '55000': [
      'prepared transactions are disabled',
      'pg_stat_statements must be loaded via "shared_preload_libraries"',
      'currval of sequence "…" is not yet defined in this session',
      'cannot refresh materialized view "…" concurrently',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['55'],
  examples: [{ since: 14, line: 'ERROR:  database "shop" is being accessed by other users' }],
});
