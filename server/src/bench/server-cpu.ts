// What watching costs a PostgreSQL on this machine, by the kernel's account: the sessions of a program while they live,
// and, through the server's main process, those that have ended. Sessions of anybody else must stay open meanwhile, or
// they would be counted too.
import { readFileSync } from 'node:fs';

const TICK_MS = 10;

/** Fields of /proc/<pid>/stat after the name, which may hold anything. */
function statOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** CPU time of the process alone, to the nanosecond. */
export function ownMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** CPU time of a process with all its threads. */
export function processMs(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13);
  return (user + system) * TICK_MS;
}

/** CPU time of the server's main process and of all its children that have ended. */
function endedMs(postmaster: number): number {
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = statOf(postmaster).slice(11, 15);
  return (user + system + endedUser + endedSystem) * TICK_MS;
}

export interface CpuReading {
  readonly ended: number;
  readonly living: ReadonlyMap<number, number>;
}

export function readCpu(postmaster: number, backends: readonly number[]): CpuReading {
  return { ended: endedMs(postmaster), living: new Map(backends.map((pid) => [pid, ownMs(pid)])) };
}

/** Milliseconds between two readings. What ended in between was counted while it lived, too. */
export function cpuBetween(before: CpuReading, after: CpuReading): number {
  const gone = [...before.living].filter(([pid]) => !after.living.has(pid));
  const counted = gone.reduce((sum, [, ms]) => sum + ms, 0);
  const living = [...after.living].reduce((sum, [pid, ms]) => sum + ms - (before.living.get(pid) ?? 0), 0);
  return after.ended - before.ended - counted + living;
}
