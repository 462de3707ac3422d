// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_database',
  [
    [{ datname: 'shop', checksum_failures: 0, checksum_failures_with_shared: 1 }],
    [{ datname: 'shop', checksum_failures: 0, checksum_failures_with_shared: 0 }],
  ],
  { database_name: 'shop' },
);
