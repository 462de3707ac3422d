// Background worker ended: a background worker ended with an error; the server starts most of them again.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'background_worker_ended',
  group: 'server',
  title: 'Background worker ended',
  meaning: 'A background worker ended with an error; the server starts most of them again.',
  weight: 'info',
  remedy:
    'At a shutdown this is normal. If it comes again and again, read the lines of the same process before it.',
  texts: {
    '55000': ['parallel worker failed to initialize', 'lost connection to parallel worker'],
    '00000': [
      'background worker "…" (PID …) exited with exit code …',
      'background worker "…" (PID …) was terminated by signal …',
    ],
  },
  severities: ['LOG', 'ERROR'],
  examples: [
    {
      since: 14,
      line: 'LOG:  background worker "logical replication launcher" (PID 4711) exited with exit code 1',
    },
  ],
});
