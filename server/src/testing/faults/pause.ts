// Freezes a server: a machine that stopped answering while its connections stay open. Children are looked up in
// /proc again until no new one appears, so a backend forked meanwhile is frozen too.
import { readdirSync, readFileSync } from 'node:fs';

/** The fields of /proc/<pid>/stat from the state on; none where there is no such process. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Direct children; PostgreSQL's processes have no others. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((candidate) => Number.isInteger(candidate) && Number(statOf(candidate)[1]) === pid);
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // it ended meanwhile
  }
}

/** Stops (or kills) the postmaster first, so that it forks nobody, then its children. */
export function pauseProcesses(postmaster: number, name: 'SIGSTOP' | 'SIGKILL' = 'SIGSTOP'): void {
  const children = childrenOf(postmaster);
  signal(postmaster, name);
  const seen = new Set(children);
  for (const child of childrenOf(postmaster)) seen.add(child);
  for (const child of seen) signal(child, name);
}

export function continueProcesses(postmaster: number): void {
  for (const child of childrenOf(postmaster)) signal(child, 'SIGCONT');
  signal(postmaster, 'SIGCONT');
}

/**
 * Stops a server and ends those of its processes that outlive the postmaster: on a busy machine it can be killed before many
 * sessions have ended, and they may then wait in their own exit for ever. A process is known by its id and the time of its start.
 */
export async function stopWithChildren(postmaster: number, stop: () => Promise<void>): Promise<void> {
  const startOf = (pid: number) => statOf(pid)[19];
  const children = childrenOf(postmaster).map((pid) => ({ pid, start: startOf(pid) }));
  await stop();
  for (const { pid, start } of children) if (start && startOf(pid) === start) signal(pid, 'SIGKILL');
}
