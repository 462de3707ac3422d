// Subscription stopped: a subscription cannot go on: it was disabled by an error, or its publisher cannot be reached.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'subscription_failed',
  group: 'replication',
  title: 'Subscription stopped',
  meaning: 'A subscription cannot go on: it was disabled by an error, or its publisher cannot be reached.',
  weight: 'critical',
  remedy:
    'Read the error before it: fix the row, skip the transaction, or correct the connection, then enable the subscription.',
  texts: {
    '55000': ['logical replication target relation "…" …'],
    '00000': ['subscription "…" has been disabled because of an error'],
    '08006': [
      'could not connect to the publisher: …',
      'subscription "…" could not connect to the publisher: …',
      'apply worker for subscription "…" could not connect to the publisher: …',
      'table synchronization worker for subscription "…" could not connect to the publisher: …',
    ],
    XX000: [
      'could not start initial contents copy for table "…": …',
      'could not receive data from WAL stream: ERROR:  publication …',
    ],
  },
  examples: [{ since: 15, line: 'LOG:  subscription "orders" has been disabled because of an error' }],
});
