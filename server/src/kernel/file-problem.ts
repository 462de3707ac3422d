// Why a file cannot be read, in words that follow its path. Pure. Guards: a person reads what to change, not the code of a system call.

import { errorCode } from './errors.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: check the path',
  ENOTDIR: 'does not exist: a part of the path is a file',
  EISDIR: 'is a directory: name a file in it',
  EACCES: 'cannot be read: this account lacks permission',
  EPERM: 'cannot be read: this account lacks permission',
  ELOOP: 'cannot be read: its symbolic links lead in a circle',
  ENAMETOOLONG: 'cannot be read: its name is too long',
  EMFILE: 'cannot be read: too many files are open',
  EIO: 'cannot be read: the disk reports an error',
};

/** As in "The file /x " and this. */
export function fileProblem(cause: unknown): string {
  const code = errorCode(cause);
  if (code === undefined) return 'cannot be read';
  return WHY[code] ?? `cannot be read (${code})`;
}
