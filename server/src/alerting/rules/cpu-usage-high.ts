// Time of the processors of the host.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'cpu_usage_high',
  category: 'performance',
  metric: 'pg_sys_cpu_usage_info.processor_time_percent',
  operator: '>',
  threshold: 80,
  severity: 'warning',
  title: 'The processors are busy',
  meaning: 'With little time of the processors left, statements take longer.',
  remedy: 'Look at the load by statement: a new statement, a lost index or more traffic shows there.',
  evidence: { shell: 'top -b -n 1 | head -n 20' },
});
