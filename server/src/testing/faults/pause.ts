// Freezes a server: a machine that stopped answering while its connections stay open. Children are looked up in
// /proc again until no new one appears, so a backend forked meanwhile is frozen too.
import { readdirSync, readFileSync } from 'node:fs';

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

/** Direct children; PostgreSQL's processes have no others. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((candidate) => Number.isInteger(candidate) && parentOf(candidate) === pid);
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
