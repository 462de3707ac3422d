// What the probe stores just beyond the threshold and just not.
import { type Case, MINUTE } from '../../testing/store/rule-case-rows.ts';

export const stored: Case = {
  probe: 'pg_stat_checkpointer',
  before: [{ num_timed: 0, num_requested: 0 }],
  bad: (at) => [{ num_timed: 0, num_requested: 1000 + at / MINUTE }],
  good: (at) => [{ num_timed: 1000 + at / MINUTE, num_requested: 1000 }],
};
