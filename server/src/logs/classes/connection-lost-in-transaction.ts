// Connection lost with an open transaction: a client went away in the middle of a transaction; its work was rolled back.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'connection_lost_in_transaction',
  group: 'connections',
  title: 'Connection lost with an open transaction',
  meaning: 'A client went away in the middle of a transaction; its work was rolled back.',
  weight: 'warning',
  remedy:
    'Look at the application of that address: it crashed, was killed, or its pool closes sessions too early.',
  texts: {
    '08006': ['unexpected EOF on client connection with an open transaction'],
    '08003': ['unexpected EOF on client connection with an open transaction'],
  },
  examples: [{ since: 14, line: 'LOG:  unexpected EOF on client connection with an open transaction' }],
});
