// Protocol violation: something that is no PostgreSQL client, or a broken one, sent bytes to the port.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'protocol_violation',
  group: 'connections',
  title: 'Protocol violation',
  meaning: 'Something that is no PostgreSQL client, or a broken one, sent bytes to the port.',
  weight: 'info',
  remedy: 'Find the address: a health check, a scanner of the network or a driver of another version.',
  texts: {
    '08P01': [
      'expected password response, got message type …',
      'invalid length of startup packet',
      'incomplete startup packet',
      'invalid frontend message type …',
      'expected SASL response, got message type …',
    ],
    '0A000': ['unsupported frontend protocol …'],
    '00000': ['incomplete startup packet', 'invalid length of startup packet'],
  },
  sqlstates: ['08P01'],
  examples: [{ since: 14, line: 'LOG:  invalid length of startup packet' }],
});
