// Statement in a failed transaction: a client went on after an error without rolling back.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'transaction_aborted',
  group: 'errors',
  title: 'Statement in a failed transaction',
  meaning: 'A client went on after an error without rolling back.',
  weight: 'info',
  remedy: 'Fix the client: after an error, roll back or go back to a savepoint.',
  texts: { '25P02': ['current transaction is aborted, commands ignored until end of transaction block…'] },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['25P02'],
  examples: [
    {
      since: 14,
      line: 'ERROR:  current transaction is aborted, commands ignored until end of transaction block',
    },
  ],
});
