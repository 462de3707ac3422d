// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import {
  named,
  type RoomWithStandbys,
  run,
  type Scene,
  segments,
} from '../../testing/servers/rule-scenes/scene.ts';
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_replication',
  [
    [{ role: 'primary', pid: 5, application_name: 'standby1', lag_bytes: 104_857_601 }],
    [{ role: 'primary', pid: 6, application_name: 'standby1', lag_bytes: 104_857_600 }],
  ],
  { object: 'standby1' },
);

export const scenesWithStandbys: readonly Scene<RoomWithStandbys>[] = [
  {
    rules: ['replication_lag_bytes', 'standby_behind_peers'],
    probes: ['pg_stat_replication'],
    thresholds: { replication_lag_bytes: 1e6, standby_behind_peers: 1e6 },
    lasts: 301,
    async make({ primary, far }) {
      await run(far, 'select pg_wal_replay_pause()');
      await run(primary, ...segments(1));
      return () => run(far, 'select pg_wal_replay_resume()');
    },
    isThere: (rows) => Number(named(rows, 'application_name', 'far')?.behind_peers_bytes) > 1e6,
  },
];
