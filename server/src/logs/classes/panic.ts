// PANIC: PostgreSQL met a condition that it cannot go on with, and restarts itself.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'panic',
  group: 'server',
  title: 'PANIC',
  meaning: 'PostgreSQL met a condition that it cannot go on with, and restarts itself.',
  weight: 'critical',
  remedy:
    'Read the text: a full disk, a damaged file and a failed fsync are the usual causes. Do not start again and again; make a copy of the data directory first.',
  texts: { any: ['…'] },
  severities: ['PANIC'],
  examples: [{ since: 14, line: 'PANIC:  could not locate a valid checkpoint record' }],
});
