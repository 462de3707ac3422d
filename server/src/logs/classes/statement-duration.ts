// Duration of a statement: the duration of a statement whose text was logged before, or not at all.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'statement_duration',
  group: 'statements',
  title: 'Duration of a statement',
  meaning: 'The duration of a statement whose text was logged before, or not at all.',
  weight: 'normal',
  remedy:
    'Set log_min_duration_statement instead of log_duration, so that text and duration are in one line.',
  texts: { '00000': ['duration: … ms'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { duration_ms: /^duration: ([\d.]+) ms/ }),
  examples: [{ since: 14, line: 'LOG:  duration: 0.512 ms' }],
});
