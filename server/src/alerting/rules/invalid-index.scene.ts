// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { index, levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_index_health',
  [index('invalid'), [...index('unused'), ...index('overlapping')]],
  { database_name: 'shop', object: 'public.orders_buyer' },
);

export const scenes: readonly Scene[] = [
  {
    rules: ['invalid_index'],
    probes: ['pg_index_health'],
    lasts: 1801,
    async make({ primary }) {
      await run(primary, 'create table twice (id int)', 'insert into twice values (1), (1)');
      await primary.query('create unique index concurrently broken on twice (id)').catch(() => undefined);
      return () => run(primary, 'drop table twice');
    },
    isThere: (rows) => named(rows, 'finding', 'invalid') !== undefined,
  },
];
