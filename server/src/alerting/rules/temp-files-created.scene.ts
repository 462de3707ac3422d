// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { numberIn, type Scene, several } from '../../testing/servers/rule-scenes/scene.ts';
import { counts } from '../../testing/store/rule-case-rows.ts';

export const stored = counts(
  'pg_stat_database',
  [
    { datname: 'shop', temp_files: 1 },
    { datname: 'shop', temp_files: 102 },
  ],
  { database_name: 'shop' },
);

export const scenes: readonly Scene[] = [
  {
    rules: ['temp_files_created'],
    isDear: true,
    probes: ['pg_stat_database'],
    grows: true,
    async make({ primary }) {
      const [client] = await several(1, primary);
      await client?.query("set work_mem = '64kB'");
      await client?.query(`do $$ begin
        for n in 1..101 loop
          perform count(*) from (select g from generate_series(1, 5000) g order by md5(g::text)) s;
        end loop;
      end $$`);
      await client?.end();
      return async () => undefined;
    },
    isThere: (rows, before) => numberIn(rows, 'temp_files') > numberIn(before, 'temp_files') + 100,
  },
];
