// Disk full: a file could not be written, since the file system has no space left.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'disk_full',
  group: 'server',
  title: 'Disk full',
  meaning: 'A file could not be written, since the file system has no space left.',
  weight: 'critical',
  remedy:
    'Free space or extend the file system. Never delete files in pg_wal; look for inactive replication slots, failed archiving, old log files and temporary files. Where the text names a shared memory segment, /dev/shm is too small: give the container more (shm_size).',
  texts: { '53100': ['could not extend file "…": … No space left on device', '…No space left on device'] },
  sqlstates: ['53100'],
  examples: [{ since: 14, line: 'ERROR:  could not extend file "base/5/16384": No space left on device' }],
});
