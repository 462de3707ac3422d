// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_replication',
  [
    [{ role: 'primary', pid: 5, application_name: 'standby1', behind_peers_bytes: 33_554_433 }],
    [{ role: 'primary', pid: 6, application_name: 'standby1', behind_peers_bytes: 33_554_432 }],
  ],
  { object: 'standby1' },
);
