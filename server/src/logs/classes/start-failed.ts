// Server cannot start: PostgreSQL ended while it started, because of what it found.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'start_failed',
  group: 'server',
  title: 'Server cannot start',
  meaning: 'PostgreSQL ended while it started, because of what it found.',
  weight: 'critical',
  remedy:
    'Read the text: a second server on the same port or directory, a directory of another version, too little shared memory, or a library that is missing.',
  texts: {
    F0001: [
      'lock file "…" already exists',
      'lock file "…" is empty',
      'bogus data in lock file "…": …',
      'pre-existing shared memory block …',
    ],
    any: [
      'hot standby is not possible because … is a lower setting than on the primary server …',
      'could not locate required checkpoint record',
      'recovery ended before configured recovery target was reached',
      'recovery aborted because of insufficient parameter settings',
      "requested timeline … is not a child of this server's history",
      'WAL was generated with wal_level=minimal, cannot continue recovering',
      'could not restore file "…" from archive: …',
      'shutting down due to startup process failure',
      'could not create any TCP/IP sockets',
      'could not create any Unix-domain sockets',
      'could not bind … address "…": …',
      'could not create listen socket for "…"',
      'data directory "…" has …',
      'data directory "…" does not exist',
      'database files are incompatible with server',
      'could not load library "…": …',
      'could not map anonymous shared memory: …',
      'could not create shared memory segment: …',
      'could not create semaphores: …',
      'could not create lock file "…": …',
      '"root" execution of the PostgreSQL server is not permitted…',
      'could not access file "…": No such file or directory',
      'could not open directory "pg_tblspc": …',
      'invalid … checkpoint record',
      'invalid … in primary checkpoint record',
      '"…" is not a valid data directory',
    ],
  },
  severities: ['FATAL', 'LOG', 'WARNING'],
  examples: [
    { since: 14, line: 'FATAL:  lock file "postmaster.pid" already exists' },
    { since: 14, line: 'FATAL:  database files are incompatible with server' },
  ],
});
