// The processors. Cores are counted over all sockets, whatever a source calls them.
import { defineHostProbe } from './types.ts';
import { counts, gauges, labels } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_cpu_info',
  description: 'The processors of the machine.',
  host: 'cpu_info',
  columns: [
    ...labels([
      ['vendor', 'Maker as the processor names it, e.g. GenuineIntel.'],
      ['description', 'Where the source describes it further.'],
      ['model_name', 'Model.'],
    ]),
    { name: 'processor_type', type: 'integer', kind: 'label', description: 'On Windows only.' },
    ...counts([
      ['logical_processor', 'Logical processors: threads of all cores.'],
      ['physical_processor', 'Sockets with a processor.'],
      ['no_of_cores', 'Physical cores over all sockets.'],
    ]),
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
    ...gauges('bytes', [
      ['l1dcache_size', 'Level 1 data cache of one core.'],
      ['l1icache_size', 'Level 1 instruction cache of one core.'],
      ['l2cache_size', 'Level 2 cache of those who share it.'],
      ['l3cache_size', 'Level 3 cache of those who share it.'],
    ]),
  ],
});
