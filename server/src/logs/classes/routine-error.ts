// Error in a function: a function did what it may not do, or ended wrongly.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'routine_error',
  group: 'errors',
  title: 'Error in a function',
  meaning: 'A function did what it may not do, or ended wrongly.',
  weight: 'info',
  remedy: 'Read the CONTEXT, which names the function and its line.',
  texts: {
    P0002: ['query returned no rows'],
    P0003: ['query returned more than one row'],
    '2F005': ['control reached end of function without RETURN'],
    '0Z002': ['GET STACKED DIAGNOSTICS cannot be used outside an exception handler'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['2F', '38', '39', '0Z', '09', '27'],
  examples: [{ since: 14, line: 'ERROR:  control reached end of function without RETURN' }],
});
