// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_database',
  [
    [{ datname: 'template0', age_datfrozenxid: 1_620_000_000 }],
    [{ datname: 'template0', age_datfrozenxid: 1_600_000_000 }],
  ],
  { object: 'template0' },
);
