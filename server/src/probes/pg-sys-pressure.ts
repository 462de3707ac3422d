// The kernel's pressure figures: the share of time in which some, or all, tasks were held up by a resource. The
// averages cover ten seconds; the counters see everything between two ticks.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_pressure',
  description: 'How much work waited for processors, disks and memory.',
  host: 'pressure',
  columns: [
    {
      name: 'cpu_some_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which some task waited for a processor, over ten seconds.',
    },
    {
      name: 'cpu_some_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which some task waited for a processor, since boot.',
    },
    {
      name: 'cpu_full_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which all tasks waited for a processor, over ten seconds.',
    },
    {
      name: 'cpu_full_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which all tasks waited for a processor, since boot.',
    },
    {
      name: 'io_some_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which some task waited for a disk, over ten seconds.',
    },
    {
      name: 'io_some_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which some task waited for a disk, since boot.',
    },
    {
      name: 'io_full_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which all tasks waited for a disk, over ten seconds.',
    },
    {
      name: 'io_full_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which all tasks waited for a disk, since boot.',
    },
    {
      name: 'memory_some_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which some task waited for memory, over ten seconds.',
    },
    {
      name: 'memory_some_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which some task waited for memory, since boot.',
    },
    {
      name: 'memory_full_avg10',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time in which all tasks waited for memory, over ten seconds.',
    },
    {
      name: 'memory_full_ms',
      type: 'double precision',
      kind: 'counter',
      unit: 'ms',
      description: 'Time in which all tasks waited for memory, since boot.',
    },
  ],
});
