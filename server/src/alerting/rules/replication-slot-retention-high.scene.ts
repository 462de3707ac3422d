// What the probe stores just beyond the threshold and just not.
import { levels, slot } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_replication_slots',
  [slot({ retained_bytes: 10 * 2 ** 30 }), slot({ retained_bytes: 10 * 2 ** 30 - 1 })],
  { object: 's' },
);
