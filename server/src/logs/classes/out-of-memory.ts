// Out of memory: PostgreSQL could not get memory from the operating system.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'out_of_memory',
  group: 'server',
  title: 'Out of memory',
  meaning: 'PostgreSQL could not get memory from the operating system.',
  weight: 'critical',
  remedy:
    'Lower work_mem, maintenance_work_mem, hash_mem_multiplier or max_connections; look at what else runs on the machine.',
  texts: {
    '53200': ['out of memory', 'out of shared memory'],
    '00000': [
      'could not fork new process for connection: …',
      'could not fork … process: …',
      'could not fork worker process: …',
      'logging memory contexts of PID …',
      'Grand total: … bytes in … blocks; …',
      'level: …; … total in … blocks; …',
    ],
  },
  sqlstates: ['53200'],
  examples: [{ since: 14, line: 'ERROR:  out of memory' }],
});
