// Processes by state, as the system counts them.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_process_info',
  description: 'Processes of the machine by state.',
  host: 'process_counts',
  columns: [
    {
      name: 'total_processes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'All processes of the machine.',
    },
    {
      name: 'running_processes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Running or ready to run.',
    },
    {
      name: 'sleeping_processes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Waiting, interruptibly or not.',
    },
    {
      name: 'stopped_processes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Stopped or traced.',
    },
    {
      name: 'zombie_processes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'count',
      description: 'Ended, but not yet waited for.',
    },
  ],
});
