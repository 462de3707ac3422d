// Serialization failure: a transaction could not be made to look as if it ran alone, and was rolled back.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'serialization_failure',
  group: 'locks',
  title: 'Serialization failure',
  meaning: 'A transaction could not be made to look as if it ran alone, and was rolled back.',
  weight: 'info',
  remedy:
    'The application has to repeat the transaction; that is normal with repeatable read and serializable.',
  texts: { '40001': ['could not serialize access due to …', 'could not serialize access, …'] },
  sqlstates: ['40001', '40'],
  examples: [{ since: 14, line: 'ERROR:  could not serialize access due to concurrent update' }],
});
