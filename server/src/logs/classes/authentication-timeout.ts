// Authentication timeout: a client did not sign in within authentication_timeout.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'authentication_timeout',
  group: 'connections',
  title: 'Authentication timeout',
  meaning: 'A client did not sign in within authentication_timeout.',
  weight: 'warning',
  remedy: 'Look at the address: a slow network, a scanner, or a directory server that does not answer.',
  texts: {
    '57014': ['canceling authentication due to timeout'],
    '08006': ['terminating connection due to authentication timeout'],
  },
  severities: ['FATAL'],
  examples: [{ since: 14, line: 'FATAL:  canceling authentication due to timeout' }],
});
