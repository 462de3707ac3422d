// The load average of 15 minutes by processor.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'load_average_high',
  category: 'performance',
  metric: 'pg_sys_load_avg_info.load_per_cpu',
  operator: '>',
  threshold: 2,
  severity: 'warning',
  followsFrom: ['cpu_usage_high'],
  title: 'High load average',
  reading: '15-minute load average is {value} per CPU',
  meaning: 'More processes run or wait than the host can serve.',
  remedy: 'Look at the load by wait class. CPUs or disks may be too slow for the workload.',
  evidence: { shell: 'uptime' },
});
