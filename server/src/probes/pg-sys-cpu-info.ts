// The processors. Cores are counted over all sockets, whatever a source calls them.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_info',
  description: 'The processors of the machine.',
  host: 'cpu_info',
  columns: [
    {
      name: 'vendor',
      type: 'text',
      kind: 'label',
      description: 'Maker as the processor names it, e.g. GenuineIntel.',
    },
    {
      name: 'description',
      type: 'text',
      kind: 'label',
      description: 'Where the source describes it further.',
    },
    { name: 'model_name', type: 'text', kind: 'label', description: 'Model.' },
    { name: 'processor_type', type: 'integer', kind: 'label', description: 'On Windows only.' },
    {
      name: 'logical_processor',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Logical processors: threads of all cores.',
    },
    {
      name: 'physical_processor',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Sockets with a processor.',
    },
    {
      name: 'no_of_cores',
      type: 'integer',
      kind: 'gauge',
      unit: 'count',
      description: 'Physical cores over all sockets.',
    },
    { name: 'architecture', type: 'text', kind: 'label', description: 'As uname names it.' },
    {
      name: 'clock_speed_hz',
      type: 'bigint',
      kind: 'gauge',
      description: 'Highest clock in hertz, or the present one where that is unknown.',
    },
    { name: 'cpu_type', type: 'text', kind: 'label', description: 'On macOS only.' },
    { name: 'cpu_family', type: 'text', kind: 'label', description: 'Family.' },
    { name: 'byte_order', type: 'text', kind: 'label', description: 'Little Endian or Big Endian.' },
    {
      name: 'l1dcache_size',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Level 1 data cache of one core.',
    },
    {
      name: 'l1icache_size',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Level 1 instruction cache of one core.',
    },
    {
      name: 'l2cache_size',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Level 2 cache of those who share it.',
    },
    {
      name: 'l3cache_size',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Level 3 cache of those who share it.',
    },
  ],
});
