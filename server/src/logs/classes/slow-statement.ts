// Slow statement: a statement took longer than log_min_duration_statement, or was sampled.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'slow_statement',
  group: 'statements',
  title: 'Slow statement',
  meaning: 'A statement took longer than log_min_duration_statement, or was sampled.',
  weight: 'info',
  remedy: 'See the statements with most time below; explain (analyze, buffers) shows where the time goes.',
  texts: {
    '00000': [
      'duration: … ms  statement: …',
      'duration: … ms  execute …: …',
      'duration: … ms  parse …: …',
      'duration: … ms  bind …: …',
      'duration: … ms  execute fetch from …',
      'duration: … ms  fetch …',
      'duration: … ms  fastpath function call: …',
    ],
  },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { duration_ms: /^duration: ([\d.]+) ms/ }),
  examples: [
    { since: 14, line: 'LOG:  duration: 1204.512 ms  statement: select pg_sleep(1.2)' },
    { since: 14, line: 'LOG:  duration: 1204.512 ms  execute <unnamed>: select pg_sleep($1)' },
  ],
});
