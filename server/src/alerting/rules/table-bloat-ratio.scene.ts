// What the probe stores just beyond the threshold and just not.
import { tables } from '../../testing/store/rule-case-rows.ts';

export const stored = tables({ n_dead_tup: 5001 }, { n_dead_tup: 5000 });
