// TLS failure: a connection could not be encrypted.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'tls_failed',
  group: 'connections',
  title: 'TLS failure',
  meaning: 'A connection could not be encrypted.',
  weight: 'warning',
  remedy:
    'Compare the TLS versions and certificates of client and server; scanners of the network cause it as well.',
  texts: {
    '08P01': ['could not accept SSL connection: …', 'SSL error: …'],
    '08006': ['could not accept SSL connection: …'],
    '00000': ['could not accept SSL connection: …'],
  },
  examples: [{ since: 14, line: 'LOG:  could not accept SSL connection: EOF detected' }],
});
