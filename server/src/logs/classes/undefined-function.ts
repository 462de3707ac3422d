// Function does not exist: a statement calls a function or operator that is not there for these types.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'undefined_function',
  group: 'errors',
  title: 'Function does not exist',
  meaning: 'A statement calls a function or operator that is not there for these types.',
  weight: 'info',
  remedy: 'Check the name, the types of the arguments and whether an extension is missing.',
  texts: {
    '42883': [
      'function … does not exist…',
      'operator does not exist: …',
      'procedure … does not exist…',
      'aggregate … does not exist…',
    ],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42883'],
  examples: [{ since: 14, line: 'ERROR:  function nextval() does not exist at character 8' }],
});
