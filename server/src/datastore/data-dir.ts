// The data directory and its lock: one process at a time (kernel/file-lock.ts). Guards: whoever cannot have the
// directory is told by whom it is held, or what is missing.
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../kernel/errors.ts';
import { type FileLock, lockFile } from '../kernel/file-lock.ts';
import { isRoot } from './os-user.ts';

export interface DataDir extends FileLock {
  /** The real, absolute path. */
  path: string;
  /** Whether this start made it. */
  created: boolean;
}

const LOCK_FILE = 'matriarch.pid';

function prepare(directory: string): { real: string; created: boolean } {
  const absolute = path.resolve(directory);
  try {
    const created = !existsSync(absolute);
    if (created) {
      mkdirSync(path.dirname(absolute), { recursive: true });
      mkdirSync(absolute, { mode: 0o700 });
      // PostgreSQL runs as another user below a root's directory: it may pass through, not look around.
      chmodSync(absolute, isRoot() ? 0o711 : 0o700);
    }
    if (!lstatSync(realpathSync(absolute)).isDirectory())
      throw new UsageError(`${absolute} is not a directory.`);
    return { real: realpathSync(absolute), created };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The data directory ${absolute} cannot be used (${reason}): choose another with --data-dir.`,
    );
  }
}

/** Creates the directory when missing and takes its lock, or refuses with a sentence that names the holder. */
export async function openDataDir(directory: string): Promise<DataDir> {
  const { real, created } = prepare(directory);
  let lock: FileLock | number;
  try {
    lock = await lockFile(path.join(real, LOCK_FILE));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `The data directory ${real} cannot be locked (${reason}): give us write permission to it.`,
    );
  }
  if (typeof lock === 'number') {
    throw new UsageError(
      `The data directory ${real} is in use by process ${lock}: stop that process, or choose another directory with --data-dir.`,
    );
  }
  return { path: real, created, release: () => lock.release() };
}
