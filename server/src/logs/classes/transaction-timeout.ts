// Transaction timeout: a session was ended, since its transaction took longer than transaction_timeout.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'transaction_timeout',
  group: 'connections',
  title: 'Transaction timeout',
  meaning: 'A session was ended, since its transaction took longer than transaction_timeout.',
  weight: 'warning',
  remedy: 'Find the long transaction, or raise transaction_timeout for its role.',
  texts: { '25P04': ['terminating connection due to transaction timeout'] },
  sqlstates: ['25P04'],
  examples: [{ since: 17, line: 'FATAL:  terminating connection due to transaction timeout' }],
});
