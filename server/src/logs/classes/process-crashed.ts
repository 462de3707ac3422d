// Server process killed or crashed: a server process ended by a signal or with an error; all sessions are ended and the server restarts itself.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'process_crashed',
  group: 'server',
  title: 'Server process killed or crashed',
  meaning:
    'A server process ended by a signal or with an error; all sessions are ended and the server restarts itself.',
  weight: 'critical',
  remedy:
    'Signal 9 is mostly the out-of-memory killer of the kernel: look into its log, lower work_mem or max_connections, set vm.overcommit_memory = 2. Signals 6 and 11 are faults of PostgreSQL or of an extension: keep the core file, update to the latest minor release.',
  texts: {
    '00000': [
      '… (PID …) was terminated by signal …',
      '… (PID …) exited with exit code …',
      '… (PID …) was terminated by exception …',
      'issuing … to recalcitrant children',
      'startup process (PID …) exited with exit code …',
      'aborting startup due to startup process failure',
    ],
  },
  severities: ['LOG'],
  figures: ({ message }) => numbersIn(message, { signal: /was terminated by signal (\d+)/ }),
  examples: [
    { since: 14, line: 'LOG:  server process (PID 4711) was terminated by signal 9: Killed' },
    { since: 18, line: 'LOG:  client backend (PID 4711) was terminated by signal 9: Killed' },
  ],
});
