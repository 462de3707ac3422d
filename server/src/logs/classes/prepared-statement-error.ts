// Prepared statement or cursor missing: a client names a prepared statement or cursor that this session does not have.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'prepared_statement_error',
  group: 'errors',
  title: 'Prepared statement or cursor missing',
  meaning: 'A client names a prepared statement or cursor that this session does not have.',
  weight: 'info',
  remedy: 'A pooler in transaction mode without support of prepared statements causes it.',
  texts: {
    '26000': ['prepared statement "…" does not exist'],
    '42P05': ['prepared statement "…" already exists'],
    '34000': ['cursor "…" does not exist', 'portal "…" does not exist'],
    '0A000': ['cached plan must not change result type'],
    '08P01': ['bind message supplies … parameters, but prepared statement "…" requires …'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['26', '34', '24'],
  examples: [{ since: 14, line: 'ERROR:  prepared statement "S_1" does not exist' }],
});
