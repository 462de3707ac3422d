// Replication slot invalidated: a replication slot was given up; its consumer has to be made anew.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'slot_invalidated',
  group: 'replication',
  title: 'Replication slot invalidated',
  meaning: 'A replication slot was given up; its consumer has to be made anew.',
  weight: 'critical',
  remedy: 'Raise max_slot_wal_keep_size, watch inactive slots, and recreate the standby or subscription.',
  texts: {
    '00000': [
      'invalidating slot "…" because its restart_lsn … exceeds max_slot_wal_keep_size',
      'invalidating obsolete replication slot "…"',
      'terminating process … to release replication slot "…"',
      'terminating process … because replication slot "…" is too far behind',
    ],
    '55000': [
      'cannot read from logical replication slot "…"',
      'can no longer get changes from replication slot "…"',
      'cannot use replication slot "…" …',
      'can no longer access replication slot "…"',
    ],
  },
  examples: [
    {
      since: 14,
      line: 'LOG:  invalidating slot "standby1" because its restart_lsn 0/3000000 exceeds max_slot_wal_keep_size',
    },
    { since: 16, line: 'LOG:  invalidating obsolete replication slot "standby1"' },
  ],
});
