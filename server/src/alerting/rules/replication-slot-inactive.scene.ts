// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { dropSlot, LEFT_BEHIND } from '../../testing/servers/rule-scenes/left-behind.ts';
import { run, type Scene, segments } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, slot } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_replication_slots',
  [slot({ active: false, retained_bytes: 2 ** 30 }), slot({ active: false, retained_bytes: 2 ** 30 - 1 })],
  { object: 's' },
);

export const lastScenes: readonly Scene[] = [
  {
    rules: ['replication_slot_inactive'],
    isDear: true,
    probes: ['pg_replication_slots'],
    // A minute before: a consumer may only have restarted.
    ahead: (server) => run(server, LEFT_BEHIND),
    async make({ primary }) {
      await run(primary, ...segments(66));
      return () => dropSlot(primary);
    },
    isThere: (rows) => rows.some(({ is_abandoned }) => is_abandoned === true),
  },
];
