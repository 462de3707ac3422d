// Input/output error: the operating system could not read or write a file.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'io_error',
  group: 'damage',
  title: 'Input/output error',
  meaning: 'The operating system could not read or write a file.',
  weight: 'critical',
  remedy:
    'Look into the kernel log for errors of the disk, check the file system, and take a backup while the server still answers.',
  texts: {
    '58030': [
      'could not write to file "…": Input/output error',
      'could not read from file "…": Input/output error',
      'could not read file "…": Input/output error',
      'could not read blocks …..… in file "…": …',
      'could not read block … in file "…": …',
      'could not fsync file "…": …',
      'could not write block … of …',
    ],
    '58P01': [
      'could not open file "…": No such file or directory',
      'could not open shared memory segment "…": No such file or directory',
    ],
    '42501': ['could not open shared memory segment "…": Permission denied'],
  },
  sqlstates: ['58030', '58P01', '58'],
  examples: [{ since: 14, line: 'ERROR:  could not open file "base/5/16384": No such file or directory' }],
});
