// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_database',
  [
    [{ datname: 'shop', checksum_failures: 0, shared_checksum_failures: 1 }],
    [{ datname: 'shop', checksum_failures: 0, shared_checksum_failures: 0 }],
  ],
  { database_name: 'shop' },
);
