// Temporary file: a statement needed more memory than work_mem and wrote to the disk.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'temp_file',
  group: 'statements',
  title: 'Temporary file',
  meaning: 'A statement needed more memory than work_mem and wrote to the disk.',
  weight: 'info',
  remedy:
    'Find the statements with most bytes below: give them an index or, for their role alone, more work_mem.',
  texts: { '00000': ['temporary file: path "…", size …'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { bytes: /, size (\d+)$/ }),
  examples: [
    { since: 14, line: 'LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp4711.0", size 14680064' },
  ],
});
