// Volumes that can fill up, each once however often it is mounted.
import { defineHostProbe } from './types.ts';
import { gauges } from './view-columns.ts';

export const probe = defineHostProbe({
  name: 'pg_sys_disk_info',
  description: 'Space on each volume.',
  host: 'disk',
  columns: [
    { name: 'mount_point', type: 'text', kind: 'key', description: 'Where it is mounted.' },
    { name: 'drive_letter', type: 'text', kind: 'label', description: 'On Windows only.' },
    { name: 'file_system', type: 'text', kind: 'label', description: 'Device or share.' },
    { name: 'drive_type', type: 'integer', kind: 'label', description: 'On Windows only.' },
    { name: 'file_system_type', type: 'text', kind: 'label', description: 'Type, e.g. ext4.' },
    ...gauges('bytes', [
      ['total_space', 'Size of the file system.'],
      ['used_space', 'Space of the file system in use.'],
      ['free_space', 'Free for programs; less than total minus used where blocks are reserved.'],
    ]),
    ...gauges('count', [
      ['total_inodes', 'Most files; null where the filesystem counts none.'],
      ['used_inodes', 'Inodes in use: files and directories there are.'],
      ['free_inodes', 'Files that can still be made.'],
    ]),
  ],
  metrics: [
    {
      name: 'used_percent',
      unit: 'percent',
      description:
        'Space in use of what programs may use, as df counts it: blocks reserved for root are left out. Of several volumes all of it together.',
      combine: 'avg',
      worse: 'more',
      value: { kind: 'ratio of gauges', of: ['used_space'], to: ['used_space', 'free_space'], scale: 100 },
    },
    {
      name: 'days_left',
      unit: 'days',
      description: 'Until the volume is full, as it fills up now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'disk' },
    },
  ],
});
