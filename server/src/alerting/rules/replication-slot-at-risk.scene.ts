// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { keepsTooMuch } from '../../testing/servers/rule-scenes/left-behind.ts';
import type { Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, slot } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_replication_slots',
  [slot({ wal_status: 'unreserved' }), slot({ wal_status: 'extended' })],
  { object: 's' },
);

export const lastScenes: readonly Scene[] = [
  {
    rules: ['replication_slot_at_risk'],
    isDear: true,
    probes: ['pg_replication_slots'],
    make: keepsTooMuch,
    isThere: (rows) => rows.some(({ wal_status }) => wal_status === 'unreserved'),
  },
];
