// Internal error: PostgreSQL met a state that it does not expect.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'internal_error',
  group: 'errors',
  title: 'Internal error',
  meaning: 'PostgreSQL met a state that it does not expect.',
  weight: 'warning',
  remedy:
    'Update to the latest minor release; if it comes again, report the statement to the PostgreSQL project or the author of the extension.',
  texts: {
    XX000: [
      'invalid memory alloc request size …',
      'invalid DSA memory alloc request size …',
      'cache lookup failed for …',
      'tuple concurrently updated',
      'tuple concurrently deleted',
      'could not open relation with OID …',
    ],
  },
  sqlstates: ['XX'],
  examples: [{ since: 14, line: 'ERROR:  tuple concurrently updated' }],
});
