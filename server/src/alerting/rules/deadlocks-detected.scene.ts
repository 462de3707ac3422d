// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { endAll, numberIn, run, type Scene, several } from '../../testing/servers/rule-scenes/scene.ts';
import { counts } from '../../testing/store/rule-case-rows.ts';

export const stored = counts(
  'pg_stat_database',
  [
    { datname: 'shop', deadlocks: 4 },
    { datname: 'shop', deadlocks: 5 },
  ],
  { database_name: 'shop' },
);

export const scenes: readonly Scene[] = [
  {
    rules: ['deadlocks_detected'],
    probes: ['pg_stat_database'],
    grows: true,
    async make({ primary }) {
      await run(primary, 'create table one (id int)', 'create table two (id int)');
      const [a, b] = await several(2, primary);
      if (!a || !b) throw new Error('no clients');
      for (const each of [a, b]) await each.query('begin');
      await a.query('lock table one');
      await b.query('lock table two');
      await Promise.all([a.begin('lock table two'), b.begin('lock table one')]);
      await endAll([a, b]);
      return () => run(primary, 'drop table one, two');
    },
    isThere: (rows, before) => numberIn(rows, 'deadlocks') > numberIn(before, 'deadlocks'),
  },
];
