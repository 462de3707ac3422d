// Write on a read-only server: a client tried to write in a read-only transaction or on a standby.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'read_only_transaction',
  group: 'errors',
  title: 'Write on a read-only server',
  meaning: 'A client tried to write in a read-only transaction or on a standby.',
  weight: 'warning',
  remedy:
    'After a failover, clients may still point to the old address; use target_session_attrs=read-write.',
  texts: { '25006': ['cannot execute … in a read-only transaction', 'cannot execute … during recovery'] },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['25006'],
  examples: [{ since: 14, line: 'ERROR:  cannot execute INSERT in a read-only transaction' }],
});
