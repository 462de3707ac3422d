// Shares of all processors' time between two ticks of ours, so the first tick has none. Under a cgroup's limit they
// are shares of what it allows.
import { defineHostProbe } from './types.ts';
import { percentages } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_usage_info',
  description: 'How busy the processors were since the last tick.',
  host: 'cpu_usage',
  columns: [
    ...percentages([
      ['usermode_normal_process_percent', 'Time that processors ran programs of normal priority.'],
      ['usermode_niced_process_percent', 'Programs of low priority.'],
      ['kernelmode_process_percent', 'The kernel on behalf of programs.'],
      ['io_completion_percent', 'Idle while a disk was waited for.'],
      ['servicing_irq_percent', 'Time that processors served interrupts of devices.'],
      ['servicing_softirq_percent', 'Deferred work of interrupts.'],
      ['idle_mode_percent', 'Time that processors had nothing to do.'],
      ['user_time_percent', 'Programs of any priority.'],
      ['processor_time_percent', '100 minus idle, on every system.'],
      ['privileged_time_percent', 'The kernel with its interrupts.'],
      ['interrupt_time_percent', 'Interrupts and their deferred work.'],
    ]),
  ],
});
