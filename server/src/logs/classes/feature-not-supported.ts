// Not supported: a statement asks for what this version or object cannot do.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'feature_not_supported',
  group: 'errors',
  title: 'Not supported',
  meaning: 'A statement asks for what this version or object cannot do.',
  weight: 'info',
  remedy: 'Read the text; a newer version or another statement helps.',
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['0A'],
  texts: {
    '0A000': [
      'cannot truncate a table referenced in a foreign key constraint',
      'extension "…" is not available',
      'cannot alter type of a column used by …',
    ],
  },
  examples: [{ since: 14, line: 'ERROR:  0A000: cannot change name of view column "a" to "b"' }],
});
