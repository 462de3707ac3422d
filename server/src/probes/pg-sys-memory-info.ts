// Memory. Used is total minus available: the page cache is not used memory. A cgroup's limit is the total.
import { defineHostProbe } from './types.ts';
import { gauges } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_memory_info',
  description: 'Memory and swap of the machine.',
  host: 'memory',
  columns: [
    ...gauges('bytes', [
      ['total_memory', "The machine's, or what the cgroup allows."],
      ['used_memory', 'Total minus available.'],
      ['free_memory', 'Used for nothing, not even as cache.'],
      ['swap_total', 'Size of the swap space.'],
      ['swap_used', 'Swap space in use.'],
      ['swap_free', 'Swap space not in use.'],
      ['cache_total', 'File cache, buffers and what else the kernel can take back.'],
      ['kernel_total', 'On Windows only.'],
      ['kernel_paged', 'On Windows only.'],
      ['kernel_non_paged', 'On Windows only.'],
      ['total_page_file', 'On Windows only.'],
      ['avail_page_file', 'On Windows only.'],
    ]),
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
