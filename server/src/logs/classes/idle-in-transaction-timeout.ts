// Idle in transaction timeout: a session was ended, since it held a transaction open without working.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'idle_in_transaction_timeout',
  group: 'connections',
  title: 'Idle in transaction timeout',
  meaning: 'A session was ended, since it held a transaction open without working.',
  weight: 'warning',
  remedy:
    'Fix the application that waits within transactions; the limit is idle_in_transaction_session_timeout.',
  texts: { '25P03': ['terminating connection due to idle-in-transaction timeout'] },
  sqlstates: ['25P03'],
  examples: [{ since: 14, line: 'FATAL:  terminating connection due to idle-in-transaction timeout' }],
});
