// Subscription worker: a worker of a subscription began, ended or was started again.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'subscription_worker',
  group: 'replication',
  title: 'Subscription worker',
  meaning: 'A worker of a subscription began, ended or was started again.',
  weight: 'info',
  remedy: 'Workers that start again and again have an error in the lines before.',
  texts: {
    '00000': [
      'slot sync worker started',
      'logical replication apply worker for subscription "…" has started',
      'logical replication table synchronization worker for subscription "…", table "…" has started',
      'logical replication table synchronization worker for subscription "…", table "…" has finished',
      'logical replication apply worker for subscription "…" will …',
      'logical replication worker for subscription "…" will …',
      'logical replication parallel apply worker for subscription "…" has …',
    ],
  },
  severities: ['LOG'],
  examples: [
    { since: 14, line: 'LOG:  logical replication apply worker for subscription "orders" has started' },
  ],
});
