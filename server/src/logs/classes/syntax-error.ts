// Syntax error: a statement is no SQL.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'syntax_error',
  group: 'errors',
  title: 'Syntax error',
  meaning: 'A statement is no SQL.',
  weight: 'info',
  remedy: 'Correct the statement; many of them may be attempts of an attack (SQL injection).',
  texts: {
    '42601': [
      'syntax error at or near "…"…',
      'syntax error at end of input…',
      'unterminated dollar-quoted string at or near "…"…',
      'subquery must return only one column',
      'query has no destination for result data',
      'unterminated quoted string at or near "…"…',
      'cannot insert multiple commands into a prepared statement',
      'INSERT has more …',
      'each … query must have the same number of columns',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42601'],
  examples: [{ since: 14, line: 'ERROR:  syntax error at or near "selec" at character 1' }],
});
