// The fifty processes of the server that used most processor time since the last tick; on the first tick, most
// memory. Told on the machine itself and by system_stats.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_memory_by_process',
  description: 'The busiest processes of the PostgreSQL server.',
  host: 'processes',
  columns: [
    { name: 'pid', type: 'integer', kind: 'key', description: 'Process id.' },
    {
      name: 'name',
      type: 'text',
      kind: 'label',
      description: 'Title as ps shows it, or the name of the program.',
    },
    {
      name: 'running_since_seconds',
      type: 'bigint',
      kind: 'gauge',
      unit: 'seconds',
      description: 'Time since the process was started.',
    },
    {
      name: 'cpu_usage',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Of one processor, so more than 100 is possible.',
    },
    {
      name: 'memory_usage',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: "Its share of the machine's memory.",
    },
    {
      name: 'memory_bytes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Resident, with the shared memory it has touched.',
    },
  ],
});
