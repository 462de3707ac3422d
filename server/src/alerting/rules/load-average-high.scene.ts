// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_sys_load_avg_info',
  [[{ load_avg_fifteen_minutes: 8.1 }], [{ load_avg_fifteen_minutes: 8 }]],
  { beside: { probe: 'pg_sys_cpu_info', rows: [{ logical_processor: 4 }] } },
);
