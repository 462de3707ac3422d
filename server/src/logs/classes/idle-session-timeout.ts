// Idle session timeout: a session was ended, since it was idle for longer than idle_session_timeout.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'idle_session_timeout',
  group: 'connections',
  title: 'Idle session timeout',
  meaning: 'A session was ended, since it was idle for longer than idle_session_timeout.',
  weight: 'info',
  remedy: 'Raise idle_session_timeout where a pool keeps its sessions for longer.',
  texts: { '57P05': ['terminating connection due to idle-session timeout'] },
  sqlstates: ['57P05'],
  examples: [{ since: 14, line: 'FATAL:  terminating connection due to idle-session timeout' }],
});
