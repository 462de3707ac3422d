// The figures of a checkpoint or restartpoint, as 9.0 to 18 write them. Pure. Guards: what a version does not write is null.
import type { Figures } from '../types.ts';
import { numbersIn } from './numbers.ts';

const PATTERNS = {
  buffers: /wrote (\d+) buffers/,
  slru_buffers: /wrote (\d+) SLRU buffers/,
  wal_added: /; (\d+) (?:WAL|transaction log) file\(s\) added/,
  wal_removed: /added, (\d+) removed/,
  wal_recycled: /removed, (\d+) recycled/,
  write_seconds: /write=([\d.]+) s/,
  sync_seconds: /sync=([\d.]+) s/,
  total_seconds: /total=([\d.]+) s/,
  sync_files: /sync files=(\d+)/,
  longest_sync_seconds: /longest=([\d.]+) s/,
  average_sync_seconds: /average=([\d.]+) s/,
  distance_kb: /distance=(\d+) kB/,
  estimate_kb: /estimate=(\d+) kB/,
} as const;

export const checkpointFigures = (message: string): Figures => numbersIn(message, PATTERNS);

/** Why it began, as the words behind the colon say. Both are 0 where a command, a backup or a shutdown asked for it. */
export function checkpointCause(message: string): Figures {
  const words = message.slice(message.indexOf(':') + 1).split(/\s+/);
  // One that is due by time as well is counted by PostgreSQL as requested.
  const isByWal = words.includes('wal');
  return { by_wal: Number(isByWal), by_time: Number(!isByWal && words.includes('time')) };
}
