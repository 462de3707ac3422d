// Log output changed: the server writes its log elsewhere from here on.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'log_output_changed',
  group: 'server',
  title: 'Log output changed',
  meaning: 'The server writes its log elsewhere from here on.',
  weight: 'normal',
  remedy: 'Read the files of log_directory as well.',
  texts: {
    '00000': [
      'ending log output to stderr',
      'redirecting log output to logging collector process',
      'ending log output to syslog',
      'redirecting log output to …',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  redirecting log output to logging collector process' }],
});
