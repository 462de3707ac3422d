// Locks that are files: one process at a time. Guards: the file appears whole (by link), a lock left behind by a dead
// process is taken over by exactly one successor, and a recycled pid is not taken for its former owner (the start time
// and the boot are part of the identity).
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sleep } from './clock.ts';
import { errorCode } from './errors.ts';

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}

/** When the process started, in clock ticks since boot; null when it is gone or the system does not say. */
function startTime(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function bootId(): string {
  return readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown-boot';
}

/** What a process writes into a file to own it, three lines: pid, start time, boot. */
export function lockText(pid: number): string {
  return `${pid}\n${startTime(pid) ?? 'unknown-start'}\n${bootId()}\n`;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null || !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')));
}

/** The pid that the lock's text names, when that very process still runs. */
export function liveOwner(lock: string): number | null {
  const pid = Number(lock.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return null;
  return startTime(pid) === null || lockText(pid) === lock ? pid : null;
}

function tryLink(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Returns null when `file` is ours, otherwise the pid of its live owner. Whoever finds a dead owner's lock must
 * first hold `<file>.next` and look again; so two successors never replace each other.
 */
async function take(file: string, own: string): Promise<number | null> {
  for (;;) {
    if (tryLink(own, file)) return null;
    const found = readOrNull(file);
    if (found === null) continue;
    const owner = liveOwner(found);
    if (owner !== null) return owner;
    const claim = `${file}.next`;
    if ((await take(claim, own)) !== null) {
      await sleep(20);
      continue;
    }
    const unchanged = readOrNull(file) === found;
    if (unchanged) {
      const replacement = `${own}.link`;
      rmSync(replacement, { force: true });
      linkSync(own, replacement);
      renameSync(replacement, file);
    }
    rmSync(claim, { force: true });
    if (unchanged) return null;
  }
}

export interface FileLock {
  release(): void;
}

/** Takes the lock, or answers the pid of its live owner. Throws the system's error where nothing can be written. */
export async function lockFile(file: string): Promise<FileLock | number> {
  const mine = lockText(process.pid);
  const { dir, base } = path.parse(file);
  const own = path.join(dir, `.${base}.${process.pid}.${crypto.randomUUID()}`);
  try {
    writeFileSync(own, mine, { mode: 0o644, flag: 'wx' });
    const owner = await take(file, own);
    if (owner !== null) return owner;
  } finally {
    rmSync(own, { force: true });
  }
  return {
    release: () => {
      if (readOrNull(file) === mine) rmSync(file, { force: true });
    },
  };
}
