// A postmaster that outlived the process that started it (kill -9 where the system cannot tell PostgreSQL about
// it). Guards: only a process that provably is PostgreSQL running this very directory is signalled.
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sleep, systemClock } from '../kernel/clock.ts';
import { UsageError } from '../kernel/errors.ts';
import { isRunning } from '../kernel/file-lock.ts';

// Above every possible pid: PostgreSQL takes the file for a dead server's, and still checks the shared memory it names.
const NO_PID = 2_147_483_646;

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** The pid in the cluster's postmaster.pid, or null. */
export function recordedPid(directory: string): number | null {
  const pid = Number.parseInt(readText(path.join(directory, 'postmaster.pid')), 10);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** Whether that process is PostgreSQL on `directory`; without /proc nothing can be proven. */
export function isPostgresOf(pid: number, directory: string): boolean {
  if (!readText(`/proc/${pid}/comm`).startsWith('postgres')) return false;
  const args = readText(`/proc/${pid}/cmdline`).split('\0');
  return args.includes(directory) || workingDirectory(pid) === directory;
}

async function gone(pid: number, waitMs: number): Promise<boolean> {
  const giveUpAt = systemClock.monotonic() + waitMs;
  while (isRunning(pid)) {
    if (systemClock.monotonic() > giveUpAt) return false;
    await sleep(25);
  }
  return true;
}

/**
 * PostgreSQL refuses to start while the pid in its file exists in any form. In a container whose first process reaps
 * nobody a killed server stays a zombie for ever, and a recycled pid may be anything: then the pid is crossed out.
 */
function disownPidFile(directory: string): void {
  const file = path.join(directory, 'postmaster.pid');
  const content = readText(file);
  if (content !== '') writeFileSync(file, content.replace(/^\d+/, String(NO_PID)));
}

async function stopServer(pid: number, directory: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      if (!isRunning(pid)) return;
      throw new UsageError(
        `PostgreSQL of an earlier run still uses ${directory} as process ${pid}, and we may not stop it: stop it, or start as the user who started it.`,
      );
    }
    if (await gone(pid, signal === 'SIGINT' ? 5000 : 3000)) return;
  }
}

/** Stops a server left behind on `directory`, if there is one. The caller holds the data directory's lock. */
export async function stopOrphan(directory: string, progress?: (sentence: string) => void): Promise<void> {
  const pid = recordedPid(directory);
  if (pid === null || readText(`/proc/${pid}/comm`) === '') return;
  if (isRunning(pid) && isPostgresOf(pid, directory)) {
    progress?.(`Stopping PostgreSQL (process ${pid}) that an earlier run left behind`);
    await stopServer(pid, directory);
  }
  disownPidFile(directory);
}
