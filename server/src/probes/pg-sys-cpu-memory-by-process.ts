// The fifty processes of the server that used most processor time since the last tick; on the first tick, most
// memory. Told on the machine itself and by system_stats.
import { defineHostProbe } from './types.ts';
import { gauges, labels, percentages } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_memory_by_process',
  description: 'The busiest processes of the PostgreSQL server.',
  host: 'processes',
  columns: [
    { name: 'pid', type: 'integer', kind: 'key', description: 'Process id.' },
    ...labels([['name', 'Title as ps shows it, or the name of the program.']]),
    ...gauges('seconds', [['running_since_seconds', 'Time since the process was started.']]),
    ...percentages([
      ['cpu_usage', 'Of one processor, so more than 100 is possible.'],
      ['memory_usage', "Its share of the machine's memory."],
    ]),
    ...gauges('bytes', [['memory_bytes', 'Resident, with the shared memory it has touched.']]),
  ],
});
