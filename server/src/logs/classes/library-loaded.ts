// Library loaded: a shared library was loaded.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'library_loaded',
  group: 'server',
  title: 'Library loaded',
  meaning: 'A shared library was loaded.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['loaded library "…"'] },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  loaded library "auto_explain"' }],
});
