// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { keepsTooMuch } from '../../testing/servers/rule-scenes/left-behind.ts';
import { run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, slot } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_replication_slots',
  [slot({ wal_status: 'lost' }), slot({ wal_status: 'reserved' })],
  { object: 's' },
);

export const lastScenes: readonly Scene[] = [
  {
    rules: ['replication_slot_lost'],
    isDear: true,
    probes: ['pg_replication_slots'],
    async make(room) {
      const mend = await keepsTooMuch(room);
      await run(room.primary, 'checkpoint');
      return mend;
    },
    isThere: (rows) => rows.some(({ wal_status }) => wal_status === 'lost'),
  },
];
