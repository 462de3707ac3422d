// Server start: PostgreSQL was started; the line names its version.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_starting',
  group: 'server',
  title: 'Server start',
  meaning: 'PostgreSQL was started; the line names its version.',
  weight: 'info',
  remedy:
    'If it was not started on purpose, look at the lines before: a crash, a signal or an operating system restart.',
  texts: { '00000': ['starting PostgreSQL …', 'starting … PostgreSQL …'] },
  severities: ['LOG'],
  examples: [
    { since: 14, line: 'LOG:  starting PostgreSQL 14.23 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit' },
  ],
});
