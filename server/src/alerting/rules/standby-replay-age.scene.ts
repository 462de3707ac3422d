// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { type RoomWithStandbys, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_stat_replication', [
  [{ role: 'standby', pid: 9, replay_lag: 301 }],
  [{ role: 'standby', pid: 9, replay_lag: 300 }],
]);

export const scenesWithStandbys: readonly Scene<RoomWithStandbys>[] = [
  {
    rules: ['standby_replay_age'],
    probes: ['pg_stat_replication'],
    on: 'near',
    thresholds: { standby_replay_age: 0 },
    lasts: 61,
    async make({ primary, near }) {
      await run(near, 'select pg_wal_replay_pause()');
      await run(primary, 'create table late (id int)', 'drop table late');
      return () => run(near, 'select pg_wal_replay_resume()');
    },
    isThere: (rows) => rows.some(({ role, replay_lag }) => role === 'standby' && Number(replay_lag) > 0),
  },
];
