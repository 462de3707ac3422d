// Load over five minutes against the processors.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'load_above_processors',
  category: 'performance',
  metric: 'pg_sys_load_avg_info.load_per_cpu_five_minutes',
  operator: '>',
  threshold: 1,
  severity: 'info',
  followsFrom: ['load_average_high', 'cpu_usage_high'],
  title: 'More active processes than CPUs',
  reading: '5-minute load average is {value} per CPU',
  meaning: 'More processes run or wait than there are CPUs. Each takes longer than it could.',
  remedy: 'Look at Activity for what runs and what it waits for. Check other processes on the host.',
  evidence: { shell: 'uptime; nproc; top -b -n 1 -o %CPU | head -20' },
  isOurs: true,
});
