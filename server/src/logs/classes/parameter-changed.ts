// Setting changed: a setting has another value since the configuration was reloaded.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'parameter_changed',
  group: 'server',
  title: 'Setting changed',
  meaning: 'A setting has another value since the configuration was reloaded.',
  weight: 'info',
  remedy: 'Compare the time with changes in behaviour.',
  texts: {
    '00000': [
      'parameter "…" changed to "…"',
      'parameter "…" removed from configuration file, reset to default',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  parameter "work_mem" changed to "64MB"' }],
});
