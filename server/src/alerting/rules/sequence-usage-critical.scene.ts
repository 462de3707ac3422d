// What the probe stores just beyond the threshold and just not.
import { sequences } from '../../testing/store/rule-case-rows.ts';

export const stored = sequences(91, 90);
