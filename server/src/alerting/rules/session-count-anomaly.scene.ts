// What the probe stores just beyond the threshold and just not.
import { levels, sessions } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_stat_activity', [sessions(201), sessions(200)]);
