// The figures of an autovacuum or autoanalyze run, as 9.0 to 18 write them. Pure. Guards: what a version does not write is null.
import type { Figures } from '../types.ts';
import { numbersIn } from './numbers.ts';

const PATTERNS = {
  pages_removed: /^[ \t]*pages: (\d+) removed/m,
  pages_remain: /^[ \t]*pages: \d+ removed, (\d+) remain/m,
  pages_scanned: /, (\d+) scanned \(/,
  tuples_removed: /^[ \t]*tuples: (\d+) removed/m,
  tuples_remain: /^[ \t]*tuples: \d+ removed, (\d+) remain/m,
  tuples_dead_not_removable: /(?<!\d)(\d+) are dead but not yet removable/,
  index_scans: /index scans: (\d+)/,
  buffer_hits: /buffer usage: (\d+) hits/,
  buffer_misses: /buffer usage: \d+ hits, (\d+) (?:misses|reads)/,
  buffers_dirtied: /buffer usage: \d+ hits, \d+ (?:misses|reads), (\d+) dirtied/,
  wal_records: /WAL usage: (\d+) records/,
  wal_bytes: /WAL usage: .*?(\d+) bytes/,
  read_ms: /I\/O timings: read: ([\d.]+) ms/,
  write_ms: /I\/O timings: .*?write: ([\d.]+) ms/,
  user_cpu_seconds: /CPU: user: ([\d.]+) s|CPU [\d.]+s\/([\d.]+)u sec/,
  system_cpu_seconds: /system: ([\d.]+) s|CPU ([\d.]+)s\/[\d.]+u sec/,
  elapsed_seconds: /elapsed:? ([\d.]+) s/,
} as const;

export const vacuumFigures = (message: string): Figures => numbersIn(message, PATTERNS);

/** The table as `database.schema.name`, and what was done to it. */
export function vacuumedTable(text: string): string | undefined {
  return /^automatic .{1,64}? of table "((?:[^"]|"")*)"/m.exec(text)?.[1];
}
