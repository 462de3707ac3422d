// What the probe stores just beyond the threshold and just not.
import { wraparound } from '../../testing/store/rule-case-rows.ts';

export const stored = wraparound('mxid_percent', 51, 50);
