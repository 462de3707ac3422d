// What the probe stores just beyond the threshold and just not.
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels('pg_sys_memory_info', [
  [{ total_memory: 100, used_memory: 86 }],
  [{ total_memory: 100, used_memory: 85 }],
]);
