// WAL restored from archive: a WAL file was taken from the archive.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'archive_restored',
  group: 'replication',
  title: 'WAL restored from archive',
  meaning: 'A WAL file was taken from the archive.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'restored log file "…" from archive',
      'starting archive recovery',
      'starting point-in-time recovery to …',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  restored log file "000000010000000000000003" from archive' }],
});
