// What the probe stores just beyond the threshold and just not.
import { ages } from '../../testing/store/rule-case-rows.ts';

export const stored = ages('state_change', [302, 298], { state: 'idle in transaction' });
