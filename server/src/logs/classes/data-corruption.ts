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
    any: [
      'MultiXactId … has not been created yet -- apparent wraparound',
      'MultiXactId … does no longer exist -- apparent wraparound',
      'could not access status of transaction …',
      'concurrent … in progress within table "…"',
    ],
    XX001: [
      'unexpected chunk number … (expected …) for toast value …',
      'found xmin … from before relfrozenxid …',
      'found multixact … from before relminmxid …',
      'found update xid … from before relfrozenxid …',
      'checksum verification failed in file "…", block …',
      'calculated CRC checksum does not match value stored in file "…"',
      'incorrect checksum in control file',
      'compressed … data is corrupt',
      'compressed data is corrupt',
      'xlog flush request … is not satisfied --- flushed only to …',
      'invalid page in block … of relation …',
      'page verification failed, calculated checksum … but expected …',
      'missing chunk number … for toast value …',
      'could not read blocks … in file "…": read only …',
      'could not read block … in file "…": read only …',
    ],
    XX002: [
      'heap tuple … lacks matching index tuple within index …',
      "right sibling's left-link doesn't match: …",
      'failed to re-find parent key in index …',
      'could not find left sibling of block …',
      'posting list tuple with … items cannot be split at offset …',
      'item order invariant violated for index …',
      'high key invariant violated for index …',
      'index "…" contains …',
      'table tid from new index tuple …',
      'heap tid from index tuple …',
    ],
    '01000': ['page verification failed, calculated checksum … but expected …'],
  },
  sqlstates: ['XX001', 'XX002'],
  examples: [
    { since: 14, line: 'ERROR:  invalid page in block 0 of relation base/5/16384' },
    { since: 14, line: 'WARNING:  page verification failed, calculated checksum 4711 but expected 815' },
  ],
});
