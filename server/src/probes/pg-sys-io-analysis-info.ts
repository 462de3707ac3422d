// Counters of whole block devices that were ever used: no partitions, loop or RAM devices. A volume that lies on
// other devices (LVM, RAID) stands beside them, so sums over all rows count twice there.
import { defineHostProbe } from './types.ts';
import { counters } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_io_analysis_info',
  description: 'Reads and writes of each block device.',
  host: 'io',
  columns: [
    { name: 'device_name', type: 'text', kind: 'key', description: 'Name of the device, e.g. nvme0n1.' },
    ...counters('count', [
      ['total_reads', 'Reads completed.'],
      ['total_writes', 'Writes completed.'],
    ]),
    ...counters('bytes', [
      ['read_bytes', 'Bytes read from the device.'],
      ['write_bytes', 'Bytes written to the device.'],
    ]),
    ...counters('ms', [
      ['read_time_ms', 'Time of all reads together.'],
      ['write_time_ms', 'Time of all writes together.'],
    ]),
  ],
});
