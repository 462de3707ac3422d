// Error raised by code: a function raised an exception of its own.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'raised_by_code',
  group: 'errors',
  title: 'Error raised by code',
  meaning: 'A function raised an exception of its own.',
  weight: 'info',
  remedy: 'Read the text and the CONTEXT; it is about the application, not about the server.',
  sqlstates: ['P0'],
  examples: [{ since: 14, line: 'ERROR:  P0001: order is closed' }],
});
