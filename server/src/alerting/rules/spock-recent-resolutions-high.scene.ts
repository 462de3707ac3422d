// What the probe stores just beyond the threshold and just not.
import { logs } from '../../testing/store/rule-case-rows.ts';

export const stored = logs('spock_resolutions', 25);
