// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { endAll, type Scene, several } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, sessions } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_stat_activity', [sessions(9), sessions(8)], {
  beside: { probe: 'pg_server_info', rows: [{ max_connections: 10 }] },
});

export const scenes: readonly Scene[] = [
  {
    rules: ['connection_utilization', 'connections_exhausted'],
    probes: ['pg_stat_activity', 'pg_server_info'],
    async make({ primary }) {
      const clients = await several(22, primary);
      return () => endAll(clients);
    },
    isThere: (rows) => rows.filter((row) => row.backend_type === 'client backend').length >= 22,
  },
];
