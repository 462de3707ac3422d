// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { numberIn, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { counts } from '../../testing/store/rule-case-rows.ts';

export const stored = counts('pg_stat_checkpointer', [{ num_requested: 10 }, { num_requested: 61 }]);

export const scenes: readonly Scene[] = [
  {
    rules: ['checkpoint_warning'],
    isDear: true,
    probes: ['pg_stat_checkpointer'],
    grows: true,
    async make({ primary }) {
      await run(primary, ...Array.from({ length: 51 }, () => 'checkpoint'));
      return async () => undefined;
    },
    isThere: (rows, before) => numberIn(rows, 'num_requested') > numberIn(before, 'num_requested') + 50,
  },
];
