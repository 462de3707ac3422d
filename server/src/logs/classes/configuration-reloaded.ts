// Configuration reloaded: the configuration files were read again.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'configuration_reloaded',
  group: 'server',
  title: 'Configuration reloaded',
  meaning: 'The configuration files were read again.',
  weight: 'info',
  remedy: 'Nothing to do.',
  texts: { '00000': ['received SIGHUP, reloading configuration files'] },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  received SIGHUP, reloading configuration files' }],
});
