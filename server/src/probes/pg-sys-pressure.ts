// The kernel's pressure figures: the share of time in which some, or all, tasks were held up by a resource. The
// averages cover ten seconds; the counters see everything between two ticks.
import { defineHostProbe } from './types.ts';
import { millisecondCounters, percentages } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_pressure',
  description: 'How much work waited for processors, disks and memory.',
  host: 'pressure',
  columns: [
    ...percentages([['cpu_some_avg10', 'Time in which some task waited for a processor, over ten seconds.']]),
    ...millisecondCounters([['cpu_some_ms', 'Time in which some task waited for a processor, since boot.']]),
    ...percentages([['cpu_full_avg10', 'Time in which all tasks waited for a processor, over ten seconds.']]),
    ...millisecondCounters([['cpu_full_ms', 'Time in which all tasks waited for a processor, since boot.']]),
    ...percentages([['io_some_avg10', 'Time in which some task waited for a disk, over ten seconds.']]),
    ...millisecondCounters([['io_some_ms', 'Time in which some task waited for a disk, since boot.']]),
    ...percentages([['io_full_avg10', 'Time in which all tasks waited for a disk, over ten seconds.']]),
    ...millisecondCounters([['io_full_ms', 'Time in which all tasks waited for a disk, since boot.']]),
    ...percentages([['memory_some_avg10', 'Time in which some task waited for memory, over ten seconds.']]),
    ...millisecondCounters([['memory_some_ms', 'Time in which some task waited for memory, since boot.']]),
    ...percentages([['memory_full_avg10', 'Time in which all tasks waited for memory, over ten seconds.']]),
    ...millisecondCounters([['memory_full_ms', 'Time in which all tasks waited for memory, since boot.']]),
  ],
});
