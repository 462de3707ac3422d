// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { wraparound } from '../../testing/store/rule-case-rows.ts';

export const stored = wraparound('prepared_seconds', 601, 600);

export const scenes: readonly Scene[] = [
  {
    rules: ['prepared_transaction_age'],
    probes: ['pg_wraparound'],
    thresholds: { prepared_transaction_age: 0 },
    async make({ primary }) {
      await run(primary, 'create table promised (id int)');
      await run(primary, "begin; insert into promised values (1); prepare transaction 'kit'");
      return () => run(primary, "rollback prepared 'kit'", 'drop table promised');
    },
    isThere: (rows) => Number(named(rows, 'datname', 'postgres')?.prepared_transactions) > 0,
  },
];
