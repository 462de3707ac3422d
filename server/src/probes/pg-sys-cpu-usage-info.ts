// Shares of all processors' time between two ticks of ours, so the first tick has none. Under a cgroup's limit they
// are shares of what it allows.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_usage_info',
  description: 'How busy the processors were since the last tick.',
  host: 'cpu_usage',
  columns: [
    {
      name: 'usermode_normal_process_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time that processors ran programs of normal priority.',
    },
    {
      name: 'usermode_niced_process_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Programs of low priority.',
    },
    {
      name: 'kernelmode_process_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'The kernel on behalf of programs.',
    },
    {
      name: 'io_completion_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Idle while a disk was waited for.',
    },
    {
      name: 'servicing_irq_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time that processors served interrupts of devices.',
    },
    {
      name: 'servicing_softirq_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Deferred work of interrupts.',
    },
    {
      name: 'idle_mode_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Time that processors had nothing to do.',
    },
    {
      name: 'user_time_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Programs of any priority.',
    },
    {
      name: 'processor_time_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: '100 minus idle, on every system.',
    },
    {
      name: 'privileged_time_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'The kernel with its interrupts.',
    },
    {
      name: 'interrupt_time_percent',
      type: 'double precision',
      kind: 'gauge',
      unit: 'percent',
      description: 'Interrupts and their deferred work.',
    },
  ],
});
