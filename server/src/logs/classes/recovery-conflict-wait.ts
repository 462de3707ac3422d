// Replay waits for queries: WAL replay on a standby waits for queries that are in its way.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'recovery_conflict_wait',
  group: 'replication',
  title: 'Replay waits for queries',
  meaning: 'WAL replay on a standby waits for queries that are in its way.',
  weight: 'info',
  remedy: 'Long waits are lag. See max_standby_streaming_delay and log_recovery_conflict_waits.',
  texts: { '00000': ['recovery still waiting after … ms: …', 'recovery finished waiting after … ms: …'] },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { waited_ms: /waiting after ([\d.]+) ms/ }),
  examples: [{ since: 14, line: 'LOG:  recovery still waiting after 1009.6 ms: recovery conflict on lock' }],
});
