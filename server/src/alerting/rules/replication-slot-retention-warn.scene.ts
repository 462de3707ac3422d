// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { dropSlot, LEFT_BEHIND } from '../../testing/servers/rule-scenes/left-behind.ts';
import { run, type Scene, segments } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, slot } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_replication_slots',
  [slot({ retained_bytes: 2 ** 30 }), slot({ retained_bytes: 2 ** 30 - 1 })],
  { object: 's' },
);

export const lastScenes: readonly Scene[] = [
  {
    rules: ['replication_slot_retention_warn', 'replication_slot_retention_high'],
    probes: ['pg_replication_slots'],
    thresholds: { replication_slot_retention_warn: 1e7, replication_slot_retention_high: 2e7 },
    async make({ primary }) {
      await run(primary, LEFT_BEHIND, ...segments(2));
      return () => dropSlot(primary);
    },
    isThere: (rows) => rows.length > 0,
  },
];
