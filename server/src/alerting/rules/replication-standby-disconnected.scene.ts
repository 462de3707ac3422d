// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { type RoomWithStandbys, type Scene, set } from '../../testing/servers/rule-scenes/scene.ts';
import { follow } from '../../testing/servers/server-sets.ts';
import { levels, MINUTE } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_replication',
  [[{ role: 'standby', pid: 0 }], [{ role: 'standby', pid: 9 }]],
  { lasts: MINUTE },
);

export const scenesWithStandbys: readonly Scene<RoomWithStandbys>[] = [
  {
    rules: ['replication_standby_disconnected'],
    probes: ['pg_stat_replication'],
    on: 'near',
    lasts: 31,
    async make({ primary, near }) {
      await set(near, { primary_conninfo: '' });
      return () => follow(near, primary);
    },
    isThere: (rows) => rows.some(({ role, pid }) => role === 'standby' && pid === 0),
  },
];
