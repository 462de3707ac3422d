// The load average of 15 minutes by processor.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'load_average_high',
  category: 'performance',
  metric: 'pg_sys_load_avg_info.load_per_cpu',
  operator: '>',
  threshold: 2,
  severity: 'warning',
  title: 'The host is overloaded',
  meaning: 'On average more than two processes run or wait for each processor.',
  remedy: 'Look at the load by wait class: processors or disks may be too few for what is asked of them.',
  evidence: { shell: 'uptime' },
});
