// Counters of whole block devices that were ever used: no partitions, loop or RAM devices. A volume that lies on
// other devices (LVM, RAID) stands beside them, so sums over all rows count twice there.
import { defineHostProbe } from './types.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_io_analysis_info',
  description: 'Reads and writes of each block device.',
  host: 'io',
  columns: [
    { name: 'device_name', type: 'text', kind: 'key', description: 'Name of the device, e.g. nvme0n1.' },
    { name: 'total_reads', type: 'bigint', kind: 'counter', unit: 'count', description: 'Reads completed.' },
    {
      name: 'total_writes',
      type: 'bigint',
      kind: 'counter',
      unit: 'count',
      description: 'Writes completed.',
    },
    {
      name: 'read_bytes',
      type: 'bigint',
      kind: 'counter',
      unit: 'bytes',
      description: 'Bytes read from the device.',
    },
    {
      name: 'write_bytes',
      type: 'bigint',
      kind: 'counter',
      unit: 'bytes',
      description: 'Bytes written to the device.',
    },
    {
      name: 'read_time_ms',
      type: 'bigint',
      kind: 'counter',
      unit: 'ms',
      description: 'Time of all reads together.',
    },
    {
      name: 'write_time_ms',
      type: 'bigint',
      kind: 'counter',
      unit: 'ms',
      description: 'Time of all writes together.',
    },
  ],
});
