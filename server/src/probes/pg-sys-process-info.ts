// Processes by state, as the system counts them.
import { defineHostProbe } from './types.ts';
import { gauges } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_process_info',
  description: 'Processes of the machine by state.',
  host: 'process_counts',
  columns: [
    ...gauges('count', [
      ['total_processes', 'All processes of the machine.'],
      ['running_processes', 'Running or ready to run.'],
      ['sleeping_processes', 'Waiting, interruptibly or not.'],
      ['stopped_processes', 'Stopped or traced.'],
      ['zombie_processes', 'Ended, but not yet waited for.'],
    ]),
  ],
});
