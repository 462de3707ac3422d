// What the probe stores just beyond the threshold and just not.
import { ages } from '../../testing/store/rule-case-rows.ts';

export const stored = ages('xact_start', [3602, 3598], { state: 'active' });
