// Plan: auto_explain wrote the plan of a slow statement.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'plan',
  group: 'statements',
  title: 'Plan',
  meaning: 'auto_explain wrote the plan of a slow statement.',
  weight: 'info',
  remedy:
    'Read the plan: the node with most of its own time, and the one whose estimate is furthest from what came.',
  texts: { '00000': ['duration: … ms  plan:…'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { duration_ms: /^duration: ([\d.]+) ms/ }),
  examples: [{ since: 14, line: 'LOG:  duration: 12.512 ms  plan:' }],
});
