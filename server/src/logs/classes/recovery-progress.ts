// WAL replay: the server replays WAL after a start.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'recovery_progress',
  group: 'server',
  title: 'WAL replay',
  meaning: 'The server replays WAL after a start.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'fetching timeline history file for timeline … from primary server',
      'new target timeline is …',
      'pausing at the end of recovery',
      'recovery has paused',
      'recovery stopping …',
      // Also the first start of a base backup; of a crash the next line says so.
      'database system was interrupted; last known up at …',
      // What a crash is followed by; the crash itself is counted once.
      'all server processes terminated; reinitializing',
      'redo starts at …',
      'redo done at …',
      'redo is not required',
      'redo in progress, elapsed time: …',
      'invalid record length at …',
      'syncing data directory (…',
      'consistent recovery state reached at …',
      'last completed transaction was at log time …',
      'starting backup recovery with …',
      'completed backup recovery with …',
      'unexpected pageaddr … in …',
      'record with incorrect prev-link …',
      'incorrect resource manager data checksum in record at …',
      'invalid magic number … in …',
      'contrecord is requested by …',
      'there is no contrecord flag at …',
      'MultiXact member wraparound protections are now enabled',
      'new timeline … forked off current database system timeline … before current recovery point …',
      // Up to 9.4.
      'record with zero length at …',
    ],
  },
  severities: ['LOG'],
  examples: [
    { since: 14, line: 'LOG:  redo starts at 0/16A1C50' },
    { since: 15, line: 'LOG:  redo in progress, elapsed time: 10.00 s, current LSN: 0/5C5C5C5' },
  ],
});
