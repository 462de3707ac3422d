// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { cannotArchive, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { type Case, time } from '../../testing/store/rule-case-rows.ts';

export const stored: Case = {
  probe: 'pg_wal_directory',
  bad: (at) => [{ archive_ready_files: 2, archive_oldest_ready_time: time(at, 1802) }],
  good: () => [{ archive_ready_files: 0, archive_oldest_ready_time: null }],
};

export const scenes: readonly Scene[] = [
  {
    rules: ['archive_delayed'],
    probes: ['pg_wal_directory'],
    later: 2000,
    make: cannotArchive,
    isThere: ([row]) => Number(row?.archive_ready_files) > 0,
  },
];
