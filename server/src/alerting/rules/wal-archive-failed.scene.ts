// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { cannotArchive, numberIn, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { counts } from '../../testing/store/rule-case-rows.ts';

export const stored = counts('pg_stat_wal', [{ failed_count: 0 }, { failed_count: 1 }]);

export const scenes: readonly Scene[] = [
  {
    rules: ['wal_archive_failed'],
    probes: ['pg_stat_wal'],
    grows: true,
    make: cannotArchive,
    isThere: (rows, before) => numberIn(rows, 'failed_count') > numberIn(before, 'failed_count'),
  },
];
