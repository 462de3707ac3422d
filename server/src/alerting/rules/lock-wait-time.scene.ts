// What the probe stores just beyond the threshold and just not.
import { ages } from '../../testing/store/rule-case-rows.ts';

export const stored = ages('waitstart', [32, 28], { state: 'active', wait_event_type: 'Lock' });
