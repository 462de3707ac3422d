// Other objects depend on it: something could not be dropped, since others depend on it.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'dependent_objects',
  group: 'errors',
  title: 'Other objects depend on it',
  meaning: 'Something could not be dropped, since others depend on it.',
  weight: 'info',
  remedy: 'The DETAIL names them; drop them first, or use cascade with care.',
  texts: {
    '2BP01': [
      'cannot drop … because other objects depend on it',
      'role "…" cannot be dropped because some objects depend on it',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['2B'],
  examples: [{ since: 14, line: 'ERROR:  cannot drop table orders because other objects depend on it' }],
});
