// Statement cancelled: a statement was cancelled by its client or by pg_cancel_backend.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'user_cancel',
  group: 'statements',
  title: 'Statement cancelled',
  meaning: 'A statement was cancelled by its client or by pg_cancel_backend.',
  weight: 'info',
  remedy: 'Clients cancel what takes them too long: look at the statement.',
  texts: {
    '01000': ['canceling wait for synchronous replication due to user request'],
    '57014': ['canceling statement due to user request', 'canceling COPY …', 'COPY from stdin failed: …'],
    // Came too late, or for another session.
    '00000': [
      'PID … in cancel request did not match any process',
      'wrong key in cancel request for process …',
    ],
  },
  sqlstates: ['57014'],
  examples: [{ since: 14, line: 'ERROR:  canceling statement due to user request' }],
});
