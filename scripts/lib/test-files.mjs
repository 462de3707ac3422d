// Where tests put their files. Servers of tests make and remove many thousands of small files, which a disk's file system
// turns into most of a run's time, so they lie in memory where there is enough of it.
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 6 * 2 ** 30;

function hasRoom() {
  try {
    accessSync(IN_MEMORY, constants.W_OK | constants.X_OK);
    // Some tests run programs that they copied.
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.includes(` ${IN_MEMORY} `));
    if (mount === undefined || /\bnoexec\b/.test(mount)) return false;
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES && os.freemem() >= 1.5 * ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Makes os.tmpdir() a directory in memory, unless TMPDIR says where or there is no room. */
export function useMemoryForFiles() {
  if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = IN_MEMORY;
}
