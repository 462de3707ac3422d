// Limit exceeded: a statement is too complex, nested too deep or too large, or a sequence has no more values.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'limit_exceeded',
  group: 'errors',
  title: 'Limit exceeded',
  meaning: 'A statement is too complex, nested too deep or too large, or a sequence has no more values.',
  weight: 'warning',
  remedy:
    'Split the statement; look for recursion without an end. A sequence at its end: make its column bigint, then "alter sequence … as bigint".',
  texts: {
    '2200H': [
      'nextval: reached maximum value of sequence "…" (…',
      'nextval: reached minimum value of sequence "…" (…',
    ],
    '54001': ['stack depth limit exceeded'],
    '54000': [
      'array size exceeds the maximum allowed (…',
      'index row size … exceeds … maximum … for index "…"',
      'index row size … exceeds maximum … for index "…"',
      'row is too big: size …, maximum size …',
    ],
    '54011': ['tables can have at most … columns', 'target lists can have at most … entries'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['54', '2200H'],
  examples: [{ since: 14, line: 'ERROR:  stack depth limit exceeded' }],
});
