// Load over five minutes against the processors.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'load_above_processors',
  category: 'performance',
  metric: 'pg_sys_load_avg_info.load_per_cpu_five_minutes',
  operator: '>',
  threshold: 1,
  severity: 'info',
  followsFrom: ['load_average_high'],
  title: 'The load is above the processors',
  meaning:
    'For five minutes more tasks were running or waiting than there are processors: each takes longer than it could.',
  remedy:
    'Look at the Activity of the server for what runs and what it waits for; look at other processes of the machine.',
  evidence: { shell: 'uptime; nproc; top -b -n 1 -o %CPU | head -20' },
  isOurs: true,
});
