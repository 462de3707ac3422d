// What the probe stores just beyond the threshold and just not.
import { HOUR, MINUTE, tables } from '../../testing/store/rule-case-rows.ts';

export const stored = tables(
  { n_dead_tup: 900, vacuum_threshold: 800 },
  { n_dead_tup: 0, vacuum_threshold: 800 },
  { lasts: HOUR + 10 * MINUTE },
);
