// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_sys_cpu_usage_info', [
  [{ processor_time_percent: 81 }],
  [{ processor_time_percent: 80 }],
]);
