// WAL archiving failed: archive_command or the archive library failed; WAL stays in pg_wal until it works again.
import { numbersIn } from '../figures/numbers.ts';
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'archive_failed',
  group: 'replication',
  title: 'WAL archiving failed',
  meaning: 'archive_command or the archive library failed; WAL stays in pg_wal until it works again.',
  weight: 'critical',
  remedy: "Run the command by hand as the server's user. A full pg_wal stops the server.",
  texts: {
    '00000': [
      'archive command exited with unrecognized status …',
      'archive command was terminated by exception …',
      'restore_command failed…',
      'archive command failed with exit code …',
      'archive command was terminated by signal …',
    ],
    '01000': [
      'removal of orphan archive status file "…" failed too many times, will try again later',
      'archiving write-ahead log file "…" failed too many times, will try again later',
      'archive_mode enabled, yet archive_command is not set',
      'archive_mode enabled, yet archiving is not configured',
      'archive_mode enabled, yet archive_library is not set',
    ],
  },
  figures: ({ message }) => numbersIn(message, { exit_code: /exit code (\d+)/ }),
  examples: [{ since: 14, line: 'LOG:  archive command failed with exit code 1' }],
});
