// Time of the processors of the host.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'cpu_usage_high',
  category: 'performance',
  metric: 'pg_sys_cpu_usage_info.processor_time_percent',
  operator: '>',
  threshold: 80,
  severity: 'warning',
  title: 'High CPU',
  reading: 'CPU is {value} busy',
  meaning: 'With little CPU time left, statements take longer.',
  remedy: 'Look at the load by statement for a new statement, a missing index or more traffic.',
  evidence: { shell: 'top -b -n 1 | head -n 20' },
});
