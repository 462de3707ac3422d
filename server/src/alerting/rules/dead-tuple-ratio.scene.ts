// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { tables } from '../../testing/store/rule-case-rows.ts';

export const stored = tables({ n_dead_tup: 2501 }, { n_dead_tup: 2500 });

export const scenes: readonly Scene[] = [
  {
    rules: ['dead_tuple_ratio', 'table_bloat_ratio', 'autovacuum_not_running'],
    probes: ['pg_stat_all_tables'],
    lasts: 3700,
    async make({ primary }) {
      await run(
        primary,
        'create table worn (id int) with (autovacuum_enabled = off)',
        'insert into worn select generate_series(1, 10000)',
        'delete from worn where id % 10 < 6',
      );
      return () => run(primary, 'vacuum worn');
    },
    isThere: (rows) => Number(named(rows, 'relname', 'worn')?.n_dead_tup) >= 6000,
  },
];
