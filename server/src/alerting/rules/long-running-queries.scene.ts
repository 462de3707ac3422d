// What the probe stores just beyond the threshold and just not.
import { ages } from '../../testing/store/rule-case-rows.ts';

export const stored = ages('query_start', [602, 598], { state: 'active' });
