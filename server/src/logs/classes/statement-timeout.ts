// Statement timeout: a statement was cancelled, since it took longer than statement_timeout.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'statement_timeout',
  group: 'statements',
  title: 'Statement timeout',
  meaning: 'A statement was cancelled, since it took longer than statement_timeout.',
  weight: 'warning',
  remedy: 'Make the statement faster, or set a longer statement_timeout for its role.',
  texts: { '57014': ['canceling statement due to statement timeout'] },
  examples: [{ since: 14, line: 'ERROR:  canceling statement due to statement timeout' }],
});
