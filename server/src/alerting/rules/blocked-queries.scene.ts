// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { endAll, run, type Scene, several } from '../../testing/servers/rule-scenes/scene.ts';
import { levels, sessions } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_stat_activity', [
  sessions(6, { wait_event_type: 'Lock' }),
  sessions(5, { wait_event_type: 'Lock' }),
]);

export const scenes: readonly Scene[] = [
  {
    rules: [
      'blocked_queries',
      'lock_wait_time',
      'long_running_queries',
      'long_running_transaction',
      'idle_in_transaction',
    ],
    probes: ['pg_stat_activity'],
    later: 3700,
    async make({ primary }) {
      await run(primary, 'create table held (id int)');
      const [holder, ...waiters] = await several(7, primary);
      await holder?.query('begin');
      await holder?.query('lock table held');
      const waiting = waiters.map((one) => one.begin('select count(*) from held'));
      return async () => {
        await holder?.query('rollback');
        await Promise.all(waiting);
        await endAll([...(holder ? [holder] : []), ...waiters]);
        await run(primary, 'drop table held');
      };
    },
    isThere: (rows) => rows.filter((row) => row.wait_event_type === 'Lock').length === 6,
  },
];
