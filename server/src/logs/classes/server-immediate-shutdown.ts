// Immediate shutdown: the server was stopped without a checkpoint; the next start runs crash recovery.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'server_immediate_shutdown',
  group: 'server',
  title: 'Immediate shutdown',
  meaning: 'The server was stopped without a checkpoint; the next start runs crash recovery.',
  weight: 'warning',
  remedy: 'Use a fast shutdown (pg_ctl stop -m fast). Find out what sent SIGQUIT.',
  texts: {
    '00000': [
      'received immediate shutdown request',
      'performing immediate shutdown because data directory lock file is invalid',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  received immediate shutdown request' }],
});
