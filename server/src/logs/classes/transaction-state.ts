// Wrong state of a transaction: a statement does not fit into the state of its transaction.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'transaction_state',
  group: 'errors',
  title: 'Wrong state of a transaction',
  meaning: 'A statement does not fit into the state of its transaction.',
  weight: 'info',
  remedy: 'Correct the order of statements in the client.',
  texts: {
    '25001': ['… cannot run inside a transaction block', 'there is already a transaction in progress'],
    '25P01': ['… can only be used in transaction blocks', 'there is no transaction in progress'],
    '3B001': ['savepoint "…" does not exist'],
  },
  severities: ['ERROR', 'FATAL', 'WARNING'],
  sqlstates: ['25', '3B', '2D', '0B'],
  examples: [{ since: 14, line: 'ERROR:  VACUUM cannot run inside a transaction block' }],
});
