// Data corruption: a page of a table or index is damaged.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'data_corruption',
  group: 'damage',
  title: 'Data corruption',
  meaning: 'A page of a table or index is damaged.',
  weight: 'critical',
  remedy:
    'Stop writing, copy the data directory, check the hardware, restore from a backup. amcheck and pg_checksums show how far it goes. Do not set zero_damaged_pages before a copy exists.',
  texts: {
    XX001: [
      'invalid page in block … of relation …',
      'page verification failed, calculated checksum … but expected …',
      'missing chunk number … for toast value …',
      'could not read blocks … in file "…": read only …',
      'could not read block … in file "…": read only …',
    ],
    XX002: ['index "…" contains …', 'table tid from new index tuple …', 'heap tid from index tuple …'],
    '01000': ['page verification failed, calculated checksum … but expected …'],
  },
  sqlstates: ['XX001', 'XX002'],
  examples: [
    { since: 14, line: 'ERROR:  invalid page in block 0 of relation base/5/16384' },
    { since: 14, line: 'WARNING:  page verification failed, calculated checksum 4711 but expected 815' },
  ],
});
