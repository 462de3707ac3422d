// Session ended by a crash: the session was ended because another server process crashed.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'session_ended_by_crash',
  group: 'server',
  title: 'Session ended by a crash',
  meaning: 'The session was ended because another server process crashed.',
  weight: 'warning',
  remedy: 'See the class process_crashed. Clients may connect again at once and repeat their transaction.',
  texts: {
    // Of all sessions; the crash itself is counted once.
    '00000': ['terminating any other active server processes'],
    '57P02': ['terminating connection because of crash of another server process'],
    '57P01': ['terminating connection due to unexpected postmaster exit'],
  },
  sqlstates: ['57P02'],
  examples: [
    { since: 14, line: 'WARNING:  terminating connection because of crash of another server process' },
  ],
});
