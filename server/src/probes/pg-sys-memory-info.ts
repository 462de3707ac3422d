// Memory. Used is total minus available: the page cache is not used memory. A cgroup's limit is the total.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_memory_info',
  description: 'Memory and swap of the machine.',
  host: 'memory',
  columns: [
    {
      name: 'total_memory',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: "The machine's, or what the cgroup allows.",
    },
    {
      name: 'used_memory',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Total minus available.',
    },
    {
      name: 'free_memory',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Used for nothing, not even as cache.',
    },
    {
      name: 'swap_total',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Size of the swap space.',
    },
    { name: 'swap_used', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'Swap space in use.' },
    {
      name: 'swap_free',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'Swap space not in use.',
    },
    {
      name: 'cache_total',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'File cache, buffers and what else the kernel can take back.',
    },
    { name: 'kernel_total', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'On Windows only.' },
    { name: 'kernel_paged', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'On Windows only.' },
    {
      name: 'kernel_non_paged',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'On Windows only.',
    },
    {
      name: 'total_page_file',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'On Windows only.',
    },
    {
      name: 'avail_page_file',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      description: 'On Windows only.',
    },
  ],
  metrics: [
    {
      name: 'used_percent',
      unit: 'percent',
      description: 'Memory that is not available to programs.',
      combine: 'avg',
      worse: 'more',
      value: { kind: 'ratio of gauges', of: ['used_memory'], to: ['total_memory'], scale: 100 },
    },
  ],
});
