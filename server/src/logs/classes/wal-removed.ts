// Standby too far behind: the WAL that a standby needs is no longer on the primary.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'wal_removed',
  group: 'replication',
  title: 'Standby too far behind',
  meaning: 'The WAL that a standby needs is no longer on the primary.',
  weight: 'critical',
  remedy:
    'Restore it from the archive, or make the standby anew. Use a replication slot, wal_keep_size or archiving.',
  texts: {
    '58P01': ['requested WAL segment … has already been removed'],
    XX000: ['could not receive data from WAL stream: …has already been removed'],
    '08P01': ['could not receive data from WAL stream: …has already been removed'],
  },
  examples: [
    { since: 14, line: 'ERROR:  requested WAL segment 000000010000000000000003 has already been removed' },
  ],
});
