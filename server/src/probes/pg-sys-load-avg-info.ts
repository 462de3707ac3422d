// Load averages. No system of ours averages over ten minutes; the 15-minute figure stands in its own column whatever
// the source calls it.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_load_avg_info',
  description: 'Load averages of the machine.',
  host: 'load',
  columns: [
    {
      name: 'load_avg_one_minute',
      type: 'double precision',
      kind: 'gauge',
      combine: 'avg',
      description: 'Tasks running or waiting, over one minute.',
    },
    {
      name: 'load_avg_five_minutes',
      type: 'double precision',
      kind: 'gauge',
      combine: 'avg',
      description: 'Over five minutes.',
    },
    {
      name: 'load_avg_ten_minutes',
      type: 'double precision',
      kind: 'gauge',
      combine: 'avg',
      description: 'Over ten minutes, where a source knows that.',
    },
    {
      name: 'load_avg_fifteen_minutes',
      type: 'double precision',
      kind: 'gauge',
      combine: 'avg',
      description: 'Over fifteen minutes.',
    },
  ],
  metrics: [
    {
      name: 'load_per_cpu',
      unit: '',
      description: 'Load of fifteen minutes for each logical processor.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'share',
        of: 'load_avg_fifteen_minutes',
        limit: { probe: 'pg_sys_cpu_info', column: 'logical_processor' },
        scale: 1,
      },
    },
    {
      name: 'load_per_cpu_five_minutes',
      unit: '',
      description: 'Load of five minutes for each logical processor.',
      combine: 'avg',
      worse: 'more',
      value: {
        kind: 'share',
        of: 'load_avg_five_minutes',
        limit: { probe: 'pg_sys_cpu_info', column: 'logical_processor' },
        scale: 1,
      },
    },
  ],
});
