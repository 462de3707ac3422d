// Processes of a machine from their files in /proc: how many are in which state, and what those of a server use.
import type { ProcessCounts } from '../types.ts';

const STATES: Readonly<Record<string, keyof ProcessCounts>> = {
  R: 'running',
  S: 'sleeping',
  D: 'sleeping',
  I: 'sleeping',
  K: 'sleeping',
  W: 'sleeping',
  P: 'sleeping',
  T: 'stopped',
  t: 'stopped',
  Z: 'zombie',
  X: 'zombie',
  x: 'zombie',
};

export function countStates(states: readonly (readonly [state: string, count: number])[]): ProcessCounts {
  const counts: ProcessCounts = { total: 0, running: 0, sleeping: 0, stopped: 0, zombie: 0 };
  for (const [state, count] of states) {
    counts.total += count;
    const kind = STATES[state];
    if (kind !== undefined) counts[kind] += count;
  }
  return counts;
}

/** Resident bytes from /proc/<pid>/status; a kernel thread has none. */
export function parseResident(status: string | undefined): number | undefined {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(status ?? '')?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
}

/** What ps shows: PostgreSQL writes there what a process is for. */
export function parseTitle(cmdline: string | undefined): string | undefined {
  return cmdline?.replaceAll('\0', ' ').trim() || undefined;
}
