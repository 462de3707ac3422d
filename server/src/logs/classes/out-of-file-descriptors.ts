// Too many open files: PostgreSQL could not open another file.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'out_of_file_descriptors',
  group: 'server',
  title: 'Too many open files',
  meaning: 'PostgreSQL could not open another file.',
  weight: 'critical',
  remedy:
    'Raise the limit of open files of the service (LimitNOFILE), or lower max_files_per_process or max_connections.',
  texts: { '53000': ['out of file descriptors: …'] },
  examples: [
    { since: 14, line: 'LOG:  out of file descriptors: Too many open files in system; release and retry' },
  ],
});
