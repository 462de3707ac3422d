// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, type Scene, set } from '../../testing/servers/rule-scenes/scene.ts';
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_settings', [
  [{ name: 'shared_buffers', pending_restart: true }],
  [{ name: 'shared_buffers', pending_restart: false }],
]);

export const scenes: readonly Scene[] = [
  {
    rules: ['settings_pending_restart'],
    isDear: true,
    probes: ['pg_settings'],
    lasts: 86_400,
    async make({ primary }) {
      await set(primary, { max_worker_processes: '9' });
      // Sessions that are open take no notice of a reset: the value in force has to be said.
      return () => set(primary, { max_worker_processes: '8' });
    },
    isThere: (rows) => named(rows, 'name', 'max_worker_processes')?.pending_restart === true,
  },
];
