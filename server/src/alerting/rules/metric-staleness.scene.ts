// What the probe stores just beyond the threshold and just not.
import { type Case, levels } from '../../testing/store/rule-case-rows.ts';

export const stored: Case = {
  // The probe of another case, which stops; and the server still answers.
  ...levels('pg_connectivity', [[{ response_time_ms: 1 }], [{ response_time_ms: 1 }]]),
  object: 'pg_stat_checkpointer',
};
