// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { sequences } from '../../testing/store/rule-case-rows.ts';

export const stored = sequences(76, 75);

export const scenes: readonly Scene[] = [
  {
    rules: ['sequence_usage_high', 'sequence_usage_critical'],
    probes: ['pg_sequence_usage'],
    async make({ primary }) {
      await run(
        primary,
        'create table numbered (id int generated always as identity (start 2147483000), v int)',
        'insert into numbered (v) values (1)',
      );
      return () => run(primary, 'alter table numbered alter id type bigint');
    },
    isThere: (rows) => Number(named(rows, 'sequencename', 'numbered_id_seq')?.exhausted_percent) > 99,
  },
];
