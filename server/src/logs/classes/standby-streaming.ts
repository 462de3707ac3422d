// Streaming begun: a standby receives WAL from its primary.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'standby_streaming',
  group: 'replication',
  title: 'Streaming begun',
  meaning: 'A standby receives WAL from its primary.',
  weight: 'info',
  remedy: 'Nothing to do.',
  texts: {
    '00000': [
      'started streaming WAL from primary at … on timeline …',
      'restarted WAL streaming at … on timeline …',
      'entering standby mode',
      // Up to 9.2.
      'streaming replication successfully connected to primary',
      'standby "…" is now a synchronous standby with priority …',
      'standby "…" is now a candidate for quorum synchronous standby',
    ],
  },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  started streaming WAL from primary at 0/3000000 on timeline 1' }],
});
