// Recovery conflict: a query on a standby was cancelled, since it stood in the way of WAL replay.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'recovery_conflict',
  group: 'replication',
  title: 'Recovery conflict',
  meaning: 'A query on a standby was cancelled, since it stood in the way of WAL replay.',
  weight: 'warning',
  remedy: 'Raise max_standby_streaming_delay, or set hot_standby_feedback = on.',
  texts: {
    '40001': [
      'canceling statement due to conflict with recovery',
      'terminating connection due to conflict with recovery',
    ],
    '40P01': ['canceling statement due to conflict with recovery'],
  },
  examples: [{ since: 14, line: 'ERROR:  canceling statement due to conflict with recovery' }],
});
